//! The stored form of a file's places.
//!
//! A version, a checksum of the rest, then numbers of seven bits a byte: bytes and lines of the text; how many leading bits of a term's number tell it from
//! the file's other terms, and how many terms there are; for each term, in the order of their numbers, the distance of these bits from those of the term
//! before, and the bytes of its lines; the declaring lines, each as the distance from the one before, its form, and the place of the declared term among the
//! terms (0 for none, else one more); at last, for each term, the distances of its lines.

use super::{Declared, Found, Hit, TermNumber, hash};
use crate::declaration::Form;

const VERSION: u8 = 1;
/// Bits of a term's number.
const NUMBER_BITS: u32 = 47;
const FORMS: [Form; 5] = [Form::Definition, Form::Implementation, Form::Method, Form::Variable, Form::Property];

/// The bytes are not those of places that this version wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged;

/// A declaring line, before it is stored.
pub(super) struct Declaring {
    pub(super) line: u32,
    pub(super) outer: bool,
    pub(super) form: Form,
    /// The place of the declared term.
    pub(super) term: Option<u32>,
}

/// The places of one text; `terms` by their number, each with its lines in order.
pub(super) fn encode(bytes: u32, lines: u32, terms: &[(TermNumber, &[u32])], declaring: &[Declaring]) -> Vec<u8> {
    let bits = distinct_bits(terms);
    let mut out = vec![VERSION, 0, 0, 0, 0];
    for number in [bytes, lines, bits, terms.len() as u32] {
        put(&mut out, number.into());
    }
    let mut places = Vec::new();
    let mut before = 0;
    for (number, lines) in terms {
        let number = number >> (NUMBER_BITS - bits);
        put(&mut out, number - before);
        before = number;
        let start = places.len();
        let mut last = 0;
        for &line in *lines {
            put(&mut places, (line - last).into());
            last = line;
        }
        put(&mut out, (places.len() - start) as u64);
    }
    put(&mut out, declaring.len() as u64);
    let mut last = 0;
    for declaring in declaring {
        put(&mut out, (declaring.line - last).into());
        last = declaring.line;
        let form = FORMS.iter().position(|form| *form == declaring.form).unwrap_or_default() as u8;
        out.push(form << 1 | u8::from(declaring.outer));
        put(&mut out, declaring.term.map_or(0, |term| u64::from(term) + 1));
    }
    out.extend(places);
    seal(&mut out);
    out
}

/// Puts the checksum in its place.
pub(super) fn seal(out: &mut [u8]) {
    let sum = checksum(&out[5..]);
    out[1..5].copy_from_slice(&sum);
}

/// Where the terms stand; `wanted` by their numbers, each with the number to report, and each known to be in the file: of another one the answer is arbitrary.
///
/// # Errors
/// [`Damaged`], never a panic, for any other bytes.
pub fn find(stored: &[u8], wanted: &[(TermNumber, u16)]) -> Result<Found, Damaged> {
    let (head, body) = stored.split_at_checked(5).ok_or(Damaged)?;
    if head[0] != VERSION || head[1..] != checksum(body) {
        return Err(Damaged);
    }
    let mut rest = body;
    let bytes = get_u32(&mut rest)?;
    let lines = get_u32(&mut rest)?;
    let bits = get_u32(&mut rest)?;
    let count = get_u32(&mut rest)?;
    if bits > NUMBER_BITS || count as usize > rest.len() {
        return Err(Damaged);
    }
    // Where the lines of each wanted term are, and its place among the terms.
    let mut ranges = Vec::with_capacity(wanted.len());
    let mut wanted = wanted.iter().map(|(number, term)| (number >> (NUMBER_BITS - bits), *term)).peekable();
    let (mut number, mut at) = (0_u64, 0_usize);
    for place in 0..count {
        number = number.checked_add(get(&mut rest)?).ok_or(Damaged)?;
        let end = at.checked_add(get_u32(&mut rest)? as usize).ok_or(Damaged)?;
        while wanted.next_if(|(wanted, _)| *wanted < number).is_some() {}
        while let Some((_, term)) = wanted.next_if(|(wanted, _)| *wanted == number) {
            ranges.push((place, term, at..end));
        }
        at = end;
    }
    let mut found = Found { bytes, lines, ..Found::default() };
    let mut declaring = Vec::new();
    let mut line = 0_u32;
    for _ in 0..get_u32(&mut rest)? {
        line = line.checked_add(get_u32(&mut rest)?).filter(|line| *line <= lines).ok_or(Damaged)?;
        let (&how, after) = rest.split_first().ok_or(Damaged)?;
        rest = after;
        let form = *FORMS.get(usize::from(how >> 1)).ok_or(Damaged)?;
        let declared = get_u32(&mut rest)?.checked_sub(1);
        declaring.push(line);
        // Terms of one number share a place.
        for (_, term, _) in ranges.iter().filter(|(place, ..)| Some(*place) == declared) {
            found.declared.push(Declared { line, term: *term, outer: how & 1 != 0, form });
        }
    }
    for (_, term, range) in ranges {
        let mut list = rest.get(range).ok_or(Damaged)?;
        let mut line = 0_u32;
        let mut next = 0;
        while !list.is_empty() {
            line = line.checked_add(get_u32(&mut list)?).filter(|line| *line <= lines).ok_or(Damaged)?;
            while declaring.get(next).is_some_and(|declaring| *declaring < line) {
                next += 1;
            }
            found.hits.push(Hit { line, term, declaring: declaring.get(next) == Some(&line) });
        }
    }
    found.hits.sort_unstable();
    Ok(found)
}

/// The fewest leading bits that differ for all numbers, which are in order.
fn distinct_bits(terms: &[(TermNumber, &[u32])]) -> u32 {
    let same = terms.windows(2).map(|pair| ((pair[0].0 ^ pair[1].0) << (64 - NUMBER_BITS)).leading_zeros()).max();
    same.map_or(0, |same| (same + 1).min(NUMBER_BITS))
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    (hash(bytes) as u32).to_le_bytes()
}

/// Appends a number, seven bits a byte, the lowest first.
pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number from the front.
pub(crate) fn get(from: &mut &[u8]) -> Result<u64, Damaged> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = from.split_first().ok_or(Damaged)?;
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(Damaged)
}

fn get_u32(from: &mut &[u8]) -> Result<u32, Damaged> {
    u32::try_from(get(from)?).map_err(|_| Damaged)
}
