//! A session of an agent with tools, as `examples/saw` runs it, in small: every view is within its
//! budget and holds the newest request, whatever the window and the way leaves are made.

#[path = "../../examples/saw/simulation/mod.rs"]
mod simulation;

use simulation::{Mode, Setup, Simulated, Writer, plot, row, simulate, table};

async fn sessions(n_turns: u64, windows: &[u64], writer: Writer) -> Vec<Simulated> {
    let mut sessions = Vec::new();
    for &window in windows {
        for mode in Mode::ALL {
            let setup = Setup {
                window,
                mode,
                writer,
                n_turns,
                seed: 5,
            };
            sessions.push(simulate(setup).await.unwrap());
        }
    }
    sessions
}

#[tokio::test]
async fn every_view_of_a_long_session_fits_and_holds_the_newest_request() {
    let sessions = sessions(60, &[16_000, 32_000], Writer::Model).await;
    for Simulated { setup, figures, .. } in &sessions {
        assert!(figures.requests > 150, "{setup}: {figures:?}");
        assert!(figures.leaves > 10, "{setup}: {figures:?}");
        assert!(
            figures.spent.calls >= figures.leaves,
            "{setup}: {figures:?}"
        );
    }
    let table = table(&sessions);
    println!("{table}");
    assert!(sessions.iter().all(|session| table.contains(&row(session))));
    let svg = plot(&sessions);
    assert!(svg.len() < 150_000 && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("z\" fill").count(), 6, "a line a session");
}

#[tokio::test]
async fn a_session_with_no_model_fits_too_and_is_summarised_the_same_way_twice() {
    let first = sessions(15, &[16_000], Writer::Floor).await;
    for Simulated { setup, figures, .. } in &first {
        assert!(figures.leaves > 2, "{setup}: {figures:?}");
        assert_eq!(figures.spent.calls, 0, "{setup}");
    }
    let again = sessions(15, &[16_000], Writer::Floor).await;
    // A view may show what the background does beside its turn, or not yet; the tree is the same.
    let tree = |session: &Simulated| {
        let figures = session.figures;
        (
            figures.leaves,
            figures.merges,
            figures.events,
            figures.depth,
        )
    };
    let trees = |sessions: &[Simulated]| sessions.iter().map(tree).collect::<Vec<_>>();
    assert_eq!(trees(&first), trees(&again));
}
