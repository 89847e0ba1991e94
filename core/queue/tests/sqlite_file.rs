//! Files that are not as they should be, and several that share one.
mod common;

use common::{Bench, Folder, bodies, message, take, terms};
use posthouse_queue::{Settlement, Sqlite, Stop, Store as _, Trouble};
use std::{fs, io::Write as _, time::Duration};

async fn refused(path: &std::path::Path) -> posthouse_queue::StoreError {
    match Sqlite::open(path).await {
        Ok(_) => panic!("{} was opened", path.display()),
        Err(error) => error,
    }
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_refused() {
    let bench = Bench::new(terms()).await;
    bench.store.close().await.unwrap();
    let path = bench.folder.file();
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 9).unwrap();
    let error = refused(&path).await;
    assert_eq!(error.trouble(), Trouble::Newer);
    assert!(error.words().contains("schema version 9"), "{error}");
    assert!(error.words().contains("update the program"), "{error}");
}

#[tokio::test]
async fn a_database_of_another_program_is_refused() {
    let folder = Folder::new();
    let other = rusqlite::Connection::open(folder.file()).unwrap();
    other.execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
    let error = refused(&folder.file()).await;
    assert_eq!(error.trouble(), Trouble::Mismatch);
    assert!(error.words().contains("another program"), "{error}");
}

#[tokio::test]
async fn what_is_no_database_is_refused() {
    let folder = Folder::new();
    fs::write(folder.file(), "shopping list\n".repeat(1_000)).unwrap();
    let error = refused(&folder.file()).await;
    assert_eq!(error.trouble(), Trouble::Corrupt);
    assert!(error.words().contains("file is not a database"), "{error}");
    let error = refused(&folder.path().join("no/such/folder.db")).await;
    assert_eq!(error.trouble(), Trouble::Forbidden);
    assert!(error.words().contains("unable to open database file"), "{error}");
}

#[tokio::test]
async fn a_file_that_lost_its_end_says_so_and_gives_nothing_wrong() {
    let bench = Bench::new(terms()).await;
    for _ in 0..50 {
        bench.queue.send((0..100).map(|n| message(&n.to_string(), 0)).collect()).await.unwrap();
    }
    bench.store.close().await.unwrap();
    let path = bench.folder.file();
    let length = fs::metadata(&path).unwrap().len();
    fs::File::options().write(true).open(&path).unwrap().set_len(length / 2).unwrap();
    let error = match Sqlite::open(&path).await {
        Err(error) => error,
        Ok(store) => {
            let queue = store.queue("work", terms()).await;
            let taken = match queue {
                Err(error) => Err(error),
                Ok(queue) => queue.lease(5_000, Duration::ZERO, &Stop::never()).await,
            };
            taken.unwrap_err()
        }
    };
    assert_eq!(error.trouble(), Trouble::Corrupt, "{error}");
    assert!(error.words().contains("malformed"), "{error}");
}

#[tokio::test]
async fn rubbish_at_the_end_of_the_log_is_left_out() {
    let bench = Bench::new(terms()).await;
    bench.send(&["1", "2"]).await;
    // As after a power cut: the file and its log are copied while both are open, half a frame behind.
    let folder = Folder::new();
    for end in ["", "-wal"] {
        let name = format!("queue.db{end}");
        fs::copy(bench.folder.path().join(&name), folder.path().join(&name)).unwrap();
    }
    let mut log =
        fs::File::options().append(true).open(folder.path().join("queue.db-wal")).unwrap();
    log.write_all(&[0x5a; 3_000]).unwrap();
    let copy = Bench::on(folder, bench.clock.clone(), terms()).await;
    assert_eq!(bodies(&copy.take(10).await), ["1", "2"]);
    copy.send(&["3"]).await;
    let copy = copy.restart().await;
    assert_eq!(bodies(&copy.take(10).await), ["3"]);
}

#[tokio::test]
async fn a_body_that_somebody_else_put_there_comes_as_it_is() {
    let bench = Bench::new(terms()).await;
    let foreign = rusqlite::Connection::open(bench.folder.file()).unwrap();
    let put = "INSERT INTO message VALUES (1000000, 5, x'00ff'); INSERT INTO schedule VALUES (2, 5, 1000000, 0, 0, 1789999999999, 0)";
    foreign.execute_batch(put).unwrap();
    let taken = bench.take(10).await;
    assert_eq!((taken[0].body.as_slice(), taken[0].timestamp_ms), (&[0, 0xff][..], 5));
    assert_eq!(bench.settle(&taken[0], Settlement::Ack).await, posthouse_queue::Settled::Done);
}

#[tokio::test]
async fn two_that_share_a_file_share_the_work_and_wake_each_other() {
    let bench = Bench::new(terms()).await;
    let other = Sqlite::with_clock(bench.folder.file(), bench.clock.clone()).await.unwrap();
    let theirs = other.queue("work", terms()).await.unwrap();
    // Whoever waits here hears what is sent there. A look without the bell would come too, a second later.
    let waiting = {
        let queue = theirs.clone();
        tokio::spawn(async move {
            queue.lease(10, Duration::from_secs(3_600), &Stop::never()).await.unwrap()
        })
    };
    bench.send(&["1"]).await;
    assert_eq!(bodies(&waiting.await.unwrap()), ["1"]);
    for n in 0..200 {
        bench.send(&[&n.to_string()]).await;
    }
    let (mut here, mut there) = (Vec::new(), Vec::new());
    loop {
        let (a, b) = tokio::join!(take(&bench.queue, 7), take(&theirs, 5));
        if a.is_empty() && b.is_empty() {
            break;
        }
        here.extend(a);
        there.extend(b);
    }
    let mut ids: Vec<_> = here.iter().chain(&there).map(|d| d.id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 200);
}
