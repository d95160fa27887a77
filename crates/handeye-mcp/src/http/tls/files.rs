//! The files of a certificate and its key: what they have to be, and how it shows that they have changed.

use handeye_auth::own_file::{self, Problem, Readers, Rules};
use handeye_core::{Error, ErrorCode, Result};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The largest file that is read. A chain of certificates has some KiB.
const LARGEST: u64 = 256 * 1024;

/// A certificate and its key, in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate of the server, and those that lead from it to its authority.
    pub certificate: PathBuf,
    /// Its key, not encrypted.
    pub key: PathBuf,
}

/// How the files are at one time, by which two times are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen([Option<State>; 2]);

/// A file, by its device and number, its size, and when it was changed last.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State([i128; 5]);

impl State {
    fn of(path: &Path) -> Option<Self> {
        let about = fs::metadata(path).ok()?;
        let changed = i128::from(about.ctime()) * 1_000_000_000 + i128::from(about.ctime_nsec());
        let written = i128::from(about.mtime()) * 1_000_000_000 + i128::from(about.mtime_nsec());
        Some(Self([about.dev().into(), about.ino().into(), about.size().into(), changed, written]))
    }
}

impl TlsFiles {
    /// How the files are now. Blocks.
    pub(super) fn state(&self) -> Seen {
        Seen([State::of(&self.certificate), State::of(&self.key)])
    }

    /// Reads both, and checks that they belong together. Blocks. Also returns how they were before.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`] for a key that others can use; [`ErrorCode::Io`] for a file that cannot be read;
    /// [`ErrorCode::InvalidParameter`] for a content that is no certificate or no key, or a key of another certificate.
    pub(super) fn read(&self) -> Result<(Seen, CertifiedKey)> {
        let seen = self.state();
        let chain = certificates(&self.certificate)?;
        let key = key(&self.key)?;
        let identity = CertifiedKey::from_der(chain, key, &aws_lc_rs::default_provider());
        let identity = identity.map_err(|fault| match fault {
            rustls::Error::InconsistentKeys(_) => unfit(
                CERTIFICATE,
                &self.certificate,
                &format!("is not that of the key in {}", self.key.display()),
                "Pass the certificate of the server first in its file, and the key that belongs to it.",
            ),
            rustls::Error::InvalidCertificate(why) => {
                unfit(CERTIFICATE, &self.certificate, &format!("is not valid: {why}"), PEM)
            }
            _ => unfit(
                KEY,
                &self.key,
                "is of a kind that is not supported",
                "Use a key for RSA, ECDSA or Ed25519.",
            ),
        })?;
        Ok((seen, identity))
    }
}

/// How the files are called in errors.
const CERTIFICATE: &str = "certificate";
const KEY: &str = "key";
/// What to do about a file of another form.
const PEM: &str = "The files are in PEM: texts with lines like '-----BEGIN CERTIFICATE-----'.";

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let text = content(CERTIFICATE, path, Readers::Everybody)?;
    let chain: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match chain {
        Ok(chain) if !chain.is_empty() => Ok(chain),
        Ok(_none) => Err(unfit(CERTIFICATE, path, "contains no certificate", PEM)),
        Err(_malformed) => Err(unfit(CERTIFICATE, path, "is malformed", PEM)),
    }
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>> {
    let text = content(KEY, path, Readers::Group)?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|fault| {
        let is_encrypted = text.windows(9).any(|window| window == b"ENCRYPTED");
        match fault {
            pem::Error::NoItemsFound if is_encrypted => unfit(
                KEY,
                path,
                "is encrypted",
                "Write it without a password, for its owner alone (chmod 600).",
            ),
            pem::Error::NoItemsFound => unfit(KEY, path, "contains no key", PEM),
            _ => unfit(KEY, path, "is malformed", PEM),
        }
    })
}

fn content(what: &str, path: &Path, readers: Readers) -> Result<Vec<u8>> {
    // Programs that renew certificates have links to the newest ones.
    let file = own_file::open(path, Rules { links: true, root: true, readers });
    let mut text = Vec::new();
    file.and_then(|file| file.take(LARGEST + 1).read_to_end(&mut text).map_err(Problem::Fault))
        .map_err(|fault| problem(what, path, fault))?;
    if text.len() as u64 > LARGEST {
        return Err(unfit(what, path, "is larger than 256 KiB", PEM));
    }
    Ok(text)
}

fn problem(what: &str, path: &Path, problem: Problem) -> Error {
    let file = format!("the {what} file {}", path.display());
    match problem {
        Problem::Fault(fault) => Error::new(ErrorCode::Io, format!("{file} cannot be read: {fault}")),
        Problem::Unsuitable(why) => Error::new(ErrorCode::Refused, format!("{file} {why}")).with_next(
            "It has to belong to the user of the server or to root, and to be written by its owner alone; a key is read by its owner and \
             group alone (chmod 600). If others could read it, have a new key certified.",
        ),
    }
}

/// The error of a content that cannot be used. Nothing of it is repeated.
fn unfit(what: &str, path: &Path, why: &str, next: &str) -> Error {
    let message = format!("the {what} file {} {why}", path.display());
    Error::new(ErrorCode::InvalidParameter, message).with_next(next)
}
