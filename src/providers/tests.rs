//! What is pure of the clients: names, addresses, waits.

use std::time::Duration;

use proptest::prelude::*;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::endpoint::{Endpoint, Reach};
use super::fault::retry_after;
use super::*;

#[track_caller]
fn check_base(provider: Provider, base: Option<&str>, found: &str, reach: Reach) {
    let environment = |name: &str| {
        if name.ends_with("_API_KEY") && reach != Reach::Open {
            return Some("k".to_owned());
        }
        base.filter(|_| name.ends_with("_URL") || name == "OLLAMA_HOST")
            .map(str::to_owned)
    };
    let endpoint = Endpoint::look_up(provider, &environment).unwrap();
    assert_eq!((endpoint.base.as_str(), endpoint.reach), (found, reach));
}

#[test]
fn addresses_are_brought_into_one_form() {
    let (secure, machine, open) = (Reach::Secure, Reach::Machine, Reach::Open);
    check_base(Provider::OpenAi, None, "https://api.openai.com/v1/", secure);
    check_base(
        Provider::Anthropic,
        None,
        "https://api.anthropic.com/v1/",
        secure,
    );
    check_base(
        Provider::Anthropic,
        Some("https://x.example/v1/"),
        "https://x.example/v1/",
        secure,
    );
    check_base(Provider::Ollama, None, "http://127.0.0.1:11434/", machine);
    check_base(
        Provider::Ollama,
        Some("localhost:9999"),
        "http://localhost:9999/",
        machine,
    );
    check_base(
        Provider::Ollama,
        Some("10.0.0.7:11434"),
        "http://10.0.0.7:11434/",
        open,
    );
    check_base(
        Provider::LlamaCpp,
        Some("http://[::1]:8080/v1"),
        "http://[::1]:8080/v1/",
        machine,
    );
    check_base(
        Provider::OpenAiCompatible,
        Some("https://gw.example/a/v1//"),
        "https://gw.example/a/v1/",
        secure,
    );
}

#[test]
fn every_variable_that_is_looked_up_is_listed() {
    for provider in Provider::ALL {
        let looked_up = std::cell::RefCell::new(Vec::new());
        let environment = |name: &str| {
            looked_up.borrow_mut().push(name.to_owned());
            None::<String>
        };
        let _ = Endpoint::look_up(provider, &environment);
        for name in looked_up.into_inner() {
            assert!(VARIABLES.contains(&name.as_str()), "{name}");
        }
    }
}

fn headers(lines: &[(&str, &str)]) -> HeaderMap {
    let lines = lines.iter().map(|(name, value)| {
        let name: HeaderName = name.parse().unwrap();
        (name, HeaderValue::from_str(value).unwrap())
    });
    lines.collect()
}

#[test]
fn a_providers_word_on_when_to_come_back_is_read_in_each_form() {
    let check = |lines: &[(&str, &str)], millis: Option<u64>| {
        assert_eq!(
            retry_after(&headers(lines)),
            millis.map(Duration::from_millis),
            "{lines:?}"
        );
    };
    check(&[("retry-after", "3")], Some(3_000));
    check(&[("retry-after", "1.5")], Some(1_500));
    check(
        &[("retry-after-ms", "250"), ("retry-after", "3")],
        Some(250),
    );
    let later = ("retry-after", "Fri, 02 Jan 2026 03:05:05 GMT");
    check(
        &[("date", "Fri, 02 Jan 2026 03:04:05 GMT"), later],
        Some(60_000),
    );
    check(&[later], None);
    check(&[("date", "Fri, 02 Jan 2026 03:06:05 GMT"), later], None);
    for hostile in ["-1", "NaN", "1e300", "soon", ""] {
        check(&[("retry-after", hostile)], None);
    }
    check(&[], None);
}

proptest! {
    #[test]
    fn a_wait_is_within_its_bounds_and_grows_twofold(
        n_failed in 0_u32..100,
        attempts in 0_u32..40,
        base_millis in 0_u64..10_000,
        most_millis in 0_u64..60_000,
        chance in -1.0_f64..2.0,
        told in proptest::option::of(0_u64..100_000),
    ) {
        let (base, most) = (Duration::from_millis(base_millis), Duration::from_millis(most_millis));
        let policy = RetryPolicy::new(attempts, base, most);
        let told = told.map(Duration::from_millis);
        let wait = policy.wait(n_failed, told, chance);
        prop_assert_eq!(wait.is_some(), n_failed > 0 && n_failed < attempts);
        if let Some(wait) = wait {
            if let Some(told) = told {
                prop_assert!(wait >= told && wait <= told + base);
            } else {
                let doubled = base.saturating_mul(1_u32.checked_shl(n_failed - 1).unwrap_or(u32::MAX));
                prop_assert!(wait <= most.min(doubled));
            }
            let least = policy.wait(n_failed, told, 0.0).unwrap();
            let greatest = policy.wait(n_failed, told, 1.0).unwrap();
            prop_assert!(least <= wait && wait <= greatest);
        }
    }

    #[test]
    fn a_name_is_read_back_as_it_is_written(text in "\\PC{0,40}", model in "[a-zA-Z0-9:./_-]{1,40}") {
        for provider in Provider::ALL {
            let name: ModelName = format!("{provider}/{model}").parse().unwrap();
            prop_assert_eq!(name.to_string(), format!("{provider}/{model}"));
        }
        if let Ok(name) = text.parse::<ModelName>() {
            prop_assert_eq!(name.to_string(), text);
        }
    }
}
