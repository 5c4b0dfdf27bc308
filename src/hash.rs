//! SHA-256 of bytes, and the identifiers that are built from it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest, Sha256};

/// A SHA-256 digest. Written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hash([u8; 32]);

impl Hash {
    /// The digest of the given bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Hash(Sha256::digest(bytes).into())
    }

    /// The digest of the parts joined by NUL, the form of all symbol and snippet identifiers.
    pub fn of_joined(parts: &[&str]) -> Self {
        let mut hasher = Sha256::new();
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                hasher.update([0]);
            }
            hasher.update(part.as_bytes());
        }
        Hash(hasher.finalize().into())
    }

    /// The raw digest.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// A digest from its 32 raw bytes; `None` for any other length.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Hash)
    }

    /// A digest from 64 hexadecimal digits of either case; `None` for anything else.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut out = [0; 32];
        for (byte, pair) in out.iter_mut().zip(digits.chunks_exact(2)) {
            let high = char::from(pair[0]).to_digit(16)?;
            let low = char::from(pair[1]).to_digit(16)?;
            *byte = (high * 16 + low) as u8;
        }
        Some(Hash(out))
    }

    /// The 64 lower-case hexadecimal digits.
    pub fn to_hex(&self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_hex())
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_hex())
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_hex())
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Hash::from_hex(&text).ok_or_else(|| D::Error::custom("expected 64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_sha256_and_hex_round_trips() {
        let hash = Hash::of(b"abc");
        assert_eq!(hash.to_hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(Hash::from_hex(&hash.to_hex().to_uppercase()), Some(hash));
        assert_eq!(Hash::from_hex("ba78"), None);
        assert_eq!(Hash::from_hex(&"g".repeat(64)), None);
    }

    #[test]
    fn joined_parts_are_separated_by_nul() {
        assert_eq!(Hash::of_joined(&["a", "b", "1"]), Hash::of(b"a\0b\x001"));
        assert_ne!(Hash::of_joined(&["ab", ""]), Hash::of_joined(&["a", "b"]));
    }
}
