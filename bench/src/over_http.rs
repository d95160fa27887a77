//! Servers that listen over HTTP, each with another proof that its client may come, and one connection to each.

use crate::Result;
use crate::options::Options;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// The token of a server that has one.
const TOKEN: &str = "a-token-of-this-measurement-alone-0123456789";
/// The number of bytes of both coordinates of a point on P-256, which are the end of a public key.
const POINT: usize = 64;
/// How long an access token is valid, in seconds.
const VALID: u64 = 3_600;

/// How a client comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// With the server's own token.
    Token,
    /// The same, over TLS.
    Encrypted,
    /// With an access token (a JWT, ES256) of an authorization server.
    Jwt,
}

trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

/// A server that listens, and one connection to it.
pub struct Listening {
    child: Child,
    connection: BufReader<Box<dyn Stream>>,
    host: String,
    token: String,
    _files: TempDir,
}

impl Listening {
    /// Starts a server and connects to it.
    pub fn start(options: &Options, access: Access) -> Result<Self> {
        let files = tempfile::tempdir()?;
        let mut command = Command::new(&options.handeye);
        command.args(["mcp", "serve", "--http", "--port", "0"]).env("HANDEYE_HTTP_TOKEN", TOKEN);
        let issuer = match access {
            Access::Token => None,
            Access::Encrypted => {
                certificate(files.path())?;
                command.arg("--tls-cert").arg(files.path().join("certificate.pem"));
                command.arg("--tls-key").arg(files.path().join("key.pem"));
                None
            }
            Access::Jwt => {
                let issuer = Issuer::start(files.path())?;
                command.args(["--auth-issuer", &issuer.address]).env_remove("HANDEYE_HTTP_TOKEN");
                Some(issuer)
            }
        };
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut url = String::new();
        BufReader::new(child.stdout.take().ok_or("no standard output")?).read_line(&mut url)?;
        let url = url.trim();
        let (_, rest) = url.split_once("://").ok_or("no address")?;
        let host = rest.trim_end_matches("/mcp").to_owned();
        let token = match issuer {
            Some(issuer) => issuer.token(url)?,
            None => TOKEN.to_owned(),
        };
        let connection = TcpStream::connect(&host)?;
        connection.set_nodelay(true)?;
        let connection: Box<dyn Stream> = match access {
            Access::Encrypted => Box::new(encrypted(connection, files.path())?),
            Access::Token | Access::Jwt => Box::new(connection),
        };
        Ok(Self { child, connection: BufReader::new(connection), host, token, _files: files })
    }

    /// Sends a request and returns the answer to it, the last event of the stream.
    pub fn request(&mut self, method: &str, name: &str, parameters: &Value) -> Result<Value> {
        let mut parameters = parameters.clone();
        parameters["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n\
             mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\nmcp-name: {name}\r\ncontent-length: {}\r\n\r\n{body}",
            self.host,
            self.token,
            body.len()
        );
        let output = self.connection.get_mut();
        output.write_all(request.as_bytes())?;
        output.flush()?;
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if self.connection.read_line(&mut line)? == 0 {
                return Err("the server ended".into());
            }
            if line.starts_with("HTTP/") && !line.contains(" 200 ") {
                return Err(format!("the server refused: {line}").into());
            }
        }
        let events = self.chunks()?;
        let data = events.lines().rev().find_map(|line| line.strip_prefix("data:")).ok_or("no answer")?;
        Ok(serde_json::from_str(data)?)
    }

    /// The body of an answer, which comes in chunks.
    fn chunks(&mut self) -> Result<String> {
        let mut body = Vec::new();
        loop {
            let mut head = String::new();
            self.connection.read_line(&mut head)?;
            let length = usize::from_str_radix(head.trim(), 16)?;
            let mut chunk = vec![0; length + 2];
            self.connection.read_exact(&mut chunk)?;
            if length == 0 {
                return Ok(String::from_utf8(body)?);
            }
            body.extend_from_slice(&chunk[..length]);
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if self.child.kill().is_ok() && self.child.wait().is_err() {
            eprintln!("the server cannot be waited for");
        }
    }
}

fn openssl(folder: &Path, arguments: &[&str]) -> Result<()> {
    let ended = Command::new("openssl").args(arguments).current_dir(folder).output()?;
    if ended.status.success() {
        Ok(())
    } else {
        Err(format!("openssl: {}", String::from_utf8_lossy(&ended.stderr)).into())
    }
}

/// Makes a certificate of this machine that signs itself, and its key.
fn certificate(folder: &Path) -> Result<()> {
    openssl(
        folder,
        &[
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
            "-keyout",
            "key.pem",
            "-out",
            "certificate.pem",
        ],
    )
}

fn encrypted(connection: TcpStream, folder: &Path) -> Result<StreamOwned<ClientConnection, TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(folder.join("certificate.pem"))?)?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let client = ClientConnection::new(Arc::new(config), ServerName::try_from("localhost")?)?;
    Ok(StreamOwned::new(client, connection))
}

/// An authorization server that publishes its key, and tokens of it.
struct Issuer {
    address: String,
    key: EncodingKey,
}

impl Issuer {
    /// Starts one on a thread that ends with this process.
    fn start(folder: &Path) -> Result<Self> {
        let private = [
            "genpkey",
            "-algorithm",
            "EC",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-outform",
            "DER",
            "-out",
            "key.der",
        ];
        openssl(folder, &private)?;
        openssl(
            folder,
            &["pkey", "-inform", "DER", "-in", "key.der", "-pubout", "-outform", "DER", "-out", "public.der"],
        )?;
        // The first command may write the key without what the signer reads around it (PKCS #8).
        openssl(
            folder,
            &[
                "pkcs8",
                "-topk8",
                "-nocrypt",
                "-inform",
                "DER",
                "-in",
                "key.der",
                "-outform",
                "DER",
                "-out",
                "pkcs8.der",
            ],
        )?;
        let public = std::fs::read(folder.join("public.der"))?;
        let point = public.len().checked_sub(POINT).map(|from| &public[from..]).ok_or("no public key")?;
        let (x, y) = point.split_at(POINT / 2);
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = format!("http://{}", listener.local_addr()?);
        let metadata = json!({ "issuer": address, "jwks_uri": format!("{address}/keys") });
        let text = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let key = json!({ "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "1", "x": text(x), "y": text(y) });
        let keys = json!({ "keys": [key] });
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Err(error) = publish(stream, &metadata, &keys) {
                    eprintln!("the issuer did not answer: {error}");
                }
            }
        });
        Ok(Self { address, key: EncodingKey::from_ec_der(&std::fs::read(folder.join("pkcs8.der"))?) })
    }

    /// An access token for a server.
    fn token(&self, audience: &str) -> Result<String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let claims = json!({
            "iss": self.address, "aud": audience, "sub": "bench", "client_id": "bench", "scope": "read act",
            "iat": now, "exp": now + VALID,
        });
        let header =
            Header { kid: Some("1".into()), typ: Some("at+jwt".into()), ..Header::new(Algorithm::ES256) };
        Ok(encode(&header, &claims, &self.key)?)
    }
}

fn publish(mut stream: TcpStream, metadata: &Value, keys: &Value) -> std::io::Result<()> {
    let mut first = String::new();
    BufReader::new(&stream).read_line(&mut first)?;
    let body = if first.contains(" /keys ") { keys } else { metadata }.to_string();
    let length = body.len();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
    stream.write_all(format!("{head}content-length: {length}\r\n\r\n{body}").as_bytes())
}
