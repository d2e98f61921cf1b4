//! A DNS server whose answers change with each question, and a client that asks it. A name that means a public host when
//! it is checked and a private one when it is used is how programs are made to reach what they must not.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};

/// The types of records that are asked for.
const A: u16 = 1;
const AAAA: u16 = 28;

/// The answers about a name, in order: each is a list of addresses. The last one is repeated.
type Answers = Vec<Vec<IpAddr>>;

#[derive(Default)]
struct Zone {
    names: HashMap<String, Answers>,
    /// How often each name was asked about, by type.
    asked: HashMap<(String, u16), usize>,
}

/// The server. It runs until the process ends.
pub struct DnsServer {
    address: SocketAddr,
    zone: Arc<Mutex<Zone>>,
}

impl DnsServer {
    /// Starts a server that knows these names. Each answer is a list of addresses, separated by spaces.
    pub fn start(names: &[(&str, &[&str])]) -> Self {
        let parse = |answer: &&str| -> Vec<IpAddr> {
            answer.split(' ').map(|address| address.parse().unwrap()).collect()
        };
        let names =
            names.iter().map(|(name, answers)| ((*name).to_owned(), answers.iter().map(parse).collect()));
        let zone = Arc::new(Mutex::new(Zone { names: names.collect(), ..Zone::default() }));
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let server = Self { address: socket.local_addr().unwrap(), zone: zone.clone() };
        std::thread::spawn(move || {
            let mut question = [0; 512];
            while let Ok((length, client)) = socket.recv_from(&mut question) {
                if let Some(response) = respond(&question[..length], &zone) {
                    let _ = socket.send_to(&response, client);
                }
            }
        });
        server
    }

    /// How often the addresses of a name were asked for.
    pub fn questions(&self, name: &str) -> usize {
        self.zone.lock().unwrap().asked.get(&(name.to_owned(), A)).copied().unwrap_or_default()
    }

    /// Asks the server for all addresses of a name.
    pub async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await?;
        let mut addresses = Vec::new();
        for kind in [A, AAAA] {
            socket.send_to(&question(name, kind), self.address).await?;
            let mut response = [0; 512];
            let length = socket.recv(&mut response).await?;
            addresses.extend(answers(&response[..length], name)?);
        }
        Ok(addresses)
    }
}

/// A question for the records of one type.
fn question(name: &str, kind: u16) -> Vec<u8> {
    // An id, a standard query, one question.
    let mut message = vec![0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in name.trim_end_matches('.').split('.') {
        message.push(u8::try_from(label.len()).unwrap());
        message.extend(label.as_bytes());
    }
    message.push(0);
    message.extend(kind.to_be_bytes());
    message.extend([0, 1]);
    message
}

/// The name and the type of a question.
fn parse_question(message: &[u8]) -> Option<(String, u16, usize)> {
    let (mut labels, mut at) = (Vec::new(), 12);
    loop {
        let length = usize::from(*message.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        labels.push(String::from_utf8_lossy(message.get(at..at + length)?).to_lowercase());
        at += length;
    }
    let kind = u16::from_be_bytes([*message.get(at)?, *message.get(at + 1)?]);
    Some((labels.join("."), kind, at + 4))
}

fn respond(message: &[u8], zone: &Mutex<Zone>) -> Option<Vec<u8>> {
    let (name, kind, end) = parse_question(message)?;
    let mut zone = zone.lock().unwrap();
    let count = zone.asked.entry((name.clone(), kind)).or_default();
    let number = *count;
    *count += 1;
    let answers = zone.names.get(&name);
    let addresses = answers.and_then(|answers| answers.get(number).or(answers.last()));
    let records = addresses.into_iter().flatten().filter_map(|address| match address {
        IpAddr::V4(address) if kind == A => Some(address.octets().to_vec()),
        IpAddr::V6(address) if kind == AAAA => Some(address.octets().to_vec()),
        _ => None,
    });
    let records: Vec<Vec<u8>> = records.collect();
    let code = if answers.is_some() { 0 } else { 3 };
    let mut response = message[..2].to_vec();
    response.extend([0x81, 0x80 | code, 0, 1]);
    response.extend(u16::try_from(records.len()).unwrap().to_be_bytes());
    response.extend([0, 0, 0, 0]);
    response.extend(&message[12..end]);
    for record in records {
        // The name of the question, the type, the class, no time to live.
        response.extend([0xc0, 12]);
        response.extend(kind.to_be_bytes());
        response.extend([0, 1, 0, 0, 0, 0]);
        response.extend(u16::try_from(record.len()).unwrap().to_be_bytes());
        response.extend(record);
    }
    Some(response)
}

fn answers(message: &[u8], name: &str) -> io::Result<Vec<IpAddr>> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    if message.get(3).is_some_and(|flags| flags & 0x0f != 0) {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no {name}")));
    }
    let (_, _, mut at) = parse_question(message).ok_or_else(invalid)?;
    let count = u16::from_be_bytes([message[6], message[7]]);
    let mut addresses = Vec::new();
    for _ in 0..count {
        let length = usize::from(*message.get(at + 11).ok_or_else(invalid)?);
        let data = message.get(at + 12..at + 12 + length).ok_or_else(invalid)?;
        addresses.push(match length {
            4 => IpAddr::V4(Ipv4Addr::from(<[u8; 4]>::try_from(data).map_err(|_| invalid())?)),
            _ => IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(data).map_err(|_| invalid())?)),
        });
        at += 12 + length;
    }
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_means_another_host_at_the_next_question() {
        let server = DnsServer::start(&[("rebind.example", &["93.184.216.34 2606:4700::1111", "127.0.0.1"])]);
        let public: Vec<IpAddr> = vec!["93.184.216.34".parse().unwrap(), "2606:4700::1111".parse().unwrap()];
        assert_eq!(server.resolve("rebind.example").await.unwrap(), public);
        for _ in 0..2 {
            let private: Vec<IpAddr> = vec!["127.0.0.1".parse().unwrap()];
            assert_eq!(server.resolve("Rebind.Example").await.unwrap(), private);
        }
        assert_eq!(server.questions("rebind.example"), 3);
        assert_eq!(server.resolve("other.example").await.unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
