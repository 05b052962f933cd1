//! A small HTTP server that answers by a function.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// A server on loopback that lives as long as the test program.
pub(crate) struct Server {
    /// Its base address, without a slash at the end.
    pub(crate) url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

/// What is answered: a status, and a body.
pub(crate) type Answer = (u16, String);

impl Server {
    /// Starts a server that answers each path.
    pub(crate) fn start(answer: impl Fn(&str) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&heads);
        thread::spawn(move || {
            for connection in listener.incoming() {
                let connection = connection.unwrap();
                let head = read_head(&connection);
                let target = head.split(' ').nth(1).unwrap().to_owned();
                seen.lock().unwrap().push(head);
                respond(connection, answer(&target));
            }
        });
        Self { url, heads }
    }

    /// Starts a server with one document at one path and 404 elsewhere.
    pub(crate) fn with(path: &'static str, body: impl Into<String>) -> Self {
        let body = body.into();
        Self::start(move |asked| match asked {
            _ if asked == path => (200, body.clone()),
            _ => (404, String::new()),
        })
    }

    /// Returns the heads of the requests so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

fn read_head(connection: &TcpStream) -> String {
    let mut head = String::new();
    let mut reader = BufReader::new(connection);
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
    head
}

fn respond(mut connection: TcpStream, (status, body): Answer) {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    // A client that has seen enough may have gone away.
    let _gone = connection.write_all(format!("{head}{body}").as_bytes());
}
