//! The HTTP client beneath. Owns TLS and what a request may not do.
//! May not follow a redirect: a key is for the host it was set for.

use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls_platform_verifier::BuilderVerifierExt;

use super::endpoint::Reach;

/// How long a connection may take to be made: one that takes longer is not there.
const CONNECT: Duration = Duration::from_secs(10);

/// Makes a client for addresses of one reach. Certificates are checked by what the system trusts.
pub(super) fn client(reach: Reach) -> Result<reqwest::Client, String> {
    let provider = Arc::new(ring::default_provider());
    let tls = match reach {
        Reach::Secure => by_the_system(provider).map_err(|error| error.to_string())?,
        // Nothing is encrypted there, so a machine without certificates can go on.
        Reach::Machine | Reach::Open => {
            trusting_none(provider).map_err(|error| error.to_string())?
        }
    };
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT)
        .user_agent(concat!("hippocamp/", env!("CARGO_PKG_VERSION")));
    let client = match reach {
        // A proxy has no business with this machine's own servers.
        Reach::Machine => client.no_proxy(),
        Reach::Open | Reach::Secure => client,
    };
    client.build().map_err(|error| error.to_string())
}

fn by_the_system(provider: Arc<CryptoProvider>) -> Result<ClientConfig, rustls::Error> {
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?;
    Ok(config.with_no_client_auth())
}

fn trusting_none(provider: Arc<CryptoProvider>) -> Result<ClientConfig, rustls::Error> {
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(rustls::RootCertStore::empty());
    Ok(config.with_no_client_auth())
}
