//! What is asserted of views can fail.

use hippocamp::domain::{NewMessage, SessionKey, Tokens, View, Window};
use hippocamp::engine::Engine;

use super::view::{Asked, check};

const BUDGET: Tokens = Tokens::new(16_000);
const REQUEST: &str = "Does <b> & </b> close the wrapper?";

fn asked(n_calls: u64) -> Asked<'static> {
    Asked {
        request: REQUEST,
        n_calls,
        budget: BUDGET,
    }
}

async fn sound_view() -> View {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::builder(folder.path().join("view.db"))
        .build()
        .unwrap();
    let session = SessionKey::new("view").unwrap();
    let said = vec![NewMessage::system("Be brief."), NewMessage::user(REQUEST)];
    let window = Window::of(BUDGET).unwrap();
    engine.turn(&session, said, window).await.unwrap().view
}

#[tokio::test]
async fn a_sound_view_passes_and_a_changed_one_does_not() {
    let sound = sound_view().await;
    assert_eq!(check(&sound, &asked(0)), Ok(()));

    let mut miscounted = sound.clone();
    miscounted.tokens += Tokens::new(1);
    assert!(check(&miscounted, &asked(0)).is_err());

    let mut too_large = sound.clone();
    let last = too_large.items.last_mut().unwrap();
    last.tokens += BUDGET;
    too_large.tokens += BUDGET;
    assert!(check(&too_large, &asked(0)).is_err());

    let mut without_request = sound.clone();
    let gone = without_request.items.pop().unwrap();
    without_request.tokens = without_request.tokens.saturating_sub(gone.tokens);
    assert!(check(&without_request, &asked(0)).is_err());

    let mut gives_up = sound;
    gives_up.fits = false;
    gives_up.excess = Some(Tokens::new(1));
    assert!(check(&gives_up, &asked(0)).is_err());
    // So many calls that not even their least form would fit.
    assert_eq!(check(&gives_up, &asked(100)), Ok(()));
}
