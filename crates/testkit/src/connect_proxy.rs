//! A proxy that opens every tunnel to the same server, whatever host was asked for, and records what it was asked.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// The proxy. It runs until the process ends.
pub struct ConnectProxy {
    /// The URL to configure.
    pub url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl ConnectProxy {
    /// Starts a proxy whose tunnels lead to this address.
    pub fn start(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = Self { url: format!("http://{}", listener.local_addr().unwrap()), heads: Arc::default() };
        let (heads, target) = (proxy.heads.clone(), target.to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (heads, target) = (heads.clone(), target.clone());
                std::thread::spawn(move || tunnel(client, &target, &heads));
            }
        });
        proxy
    }

    /// The head of each request for a tunnel.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

fn tunnel(mut client: TcpStream, target: &str, heads: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(client.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    heads.lock().unwrap().push(head);
    let Ok(server) = TcpStream::connect(target) else { return };
    // Either side may hang up.
    let _ = client.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
    let (mut to_server, mut from_server) = (server.try_clone().unwrap(), server);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut reader, &mut to_server);
        let _ = to_server.shutdown(std::net::Shutdown::Write);
    });
    let _ = std::io::copy(&mut from_server, &mut client);
    let _ = client.shutdown(std::net::Shutdown::Both);
}
