//! The stored form of a file's places.
//!
//! A version, a checksum of the rest, a sum of all terms of the file, then numbers of seven bits a byte: bytes and lines of the text; how many leading bits of a term's number tell it from
//! the file's other terms, how many terms there are, and how many lines declare something. Then bits: for each term, in the order of their numbers, the
//! distance of these leading bits from those of the term before, and how often it stands in the text; the declaring lines, each as the distance from the one
//! before, its form, and the place of the declared term among the terms (0 for none, else one more); at last, for each term, the distances of its lines.

use std::ops::RangeInclusive;

use super::bits::{self, parameter};
use super::extract::norm;
use super::{Declared, Found, Hit, TermNumber, Weight, hash};
use crate::declaration::Form;
use crate::limits::MAX_LINES;

const VERSION: u8 = 3;
/// Bits of a term's number.
const NUMBER_BITS: u32 = 47;
/// The fewest leading bits that are kept of each: with fewer, a small file's terms would share theirs with many terms of other files.
const LEAST_BITS: u32 = 12;
/// Bits of a declaring line's form, and of whether it stands without indentation.
const FORM_BITS: u32 = 3;
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

/// The places of one text; `terms` by their number, each with its lines in order, and `sum` that of all terms of the file.
pub(super) fn encode(sum: u32, bytes: u32, lines: u32, terms: &[(TermNumber, &[u32])], declaring: &[Declaring]) -> Vec<u8> {
    let bits = distinct_bits(terms);
    let mut out = vec![VERSION, 0, 0, 0, 0];
    out.extend(sum.to_le_bytes());
    for number in [bytes, lines, bits, terms.len() as u32, declaring.len() as u32] {
        put(&mut out, number.into());
    }
    let mut packed = bits::Writer::default();
    let spacing = parameter(1 << bits, terms.len() as u64);
    let mut before = 0;
    for (number, lines) in terms {
        let number = number >> (NUMBER_BITS - bits);
        packed.put_rice(number - before, spacing);
        packed.put_gamma(lines.len() as u64);
        before = number;
    }
    let (spacing, place_bits) = (parameter(lines.into(), declaring.len() as u64), bits_of_place(terms.len()));
    let mut last = 0;
    for declaring in declaring {
        packed.put_rice((declaring.line - last).into(), spacing);
        last = declaring.line;
        let form = FORMS.iter().position(|form| *form == declaring.form).unwrap_or_default() as u64;
        packed.put(form << 1 | u64::from(declaring.outer), FORM_BITS + 1);
        packed.put(declaring.term.map_or(0, |term| u64::from(term) + 1), place_bits);
    }
    for (_, held) in terms {
        let spacing = parameter(lines.into(), held.len() as u64 + 1);
        let mut last = 0;
        for &line in *held {
            packed.put_rice((line - last).into(), spacing);
            last = line;
        }
    }
    out.extend(packed.into_bytes());
    seal(&mut out);
    out
}

/// The bits of a place among so many terms, or of none.
fn bits_of_place(terms: usize) -> u32 {
    usize::BITS - terms.leading_zeros()
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
    let (Head { bytes, lines, bits, count, declaring: declaring_count, .. }, mut packed) = open(stored)?;
    let mut counts = Vec::with_capacity(count as usize);
    // The place of each wanted term among the terms.
    let mut places = Vec::with_capacity(wanted.len());
    let mut wanted = wanted.iter().map(|(number, term)| (number >> (NUMBER_BITS - bits), *term)).peekable();
    let spacing = parameter(1 << bits, count.into());
    let mut number = 0_u64;
    for place in 0..count {
        number = number.checked_add(packed.get_rice(spacing)?).ok_or(Damaged)?;
        counts.push(packed.get_gamma()?);
        while wanted.next_if(|(wanted, _)| *wanted < number).is_some() {}
        while let Some((_, term)) = wanted.next_if(|(wanted, _)| *wanted == number) {
            places.push((place, term));
        }
    }
    let mut found = Found { bytes, lines, ..Found::default() };
    let mut declaring = Vec::with_capacity(declaring_count as usize);
    let (spacing, place_bits) = (parameter(lines.into(), declaring_count.into()), bits_of_place(count as usize));
    let mut line = 0_u32;
    for _ in 0..declaring_count {
        line = next_line(&mut packed, line, spacing, lines)?;
        let how = packed.get(FORM_BITS + 1)?;
        let form = *FORMS.get((how >> 1) as usize).ok_or(Damaged)?;
        let declared = packed.get(place_bits)?.checked_sub(1);
        declaring.push(line);
        // Terms of one number share a place.
        for (_, term) in places.iter().filter(|(place, _)| Some(u64::from(*place)) == declared) {
            found.declared.push(Declared { line, term: *term, outer: how & 1 != 0, form });
        }
    }
    let mut places = places.as_slice();
    for (place, &times) in (0..count).zip(&counts) {
        let Some(last) = places.last() else { break };
        if place > last.0 {
            break;
        }
        let here = places.iter().take_while(|(wanted, _)| *wanted == place).count();
        let spacing = parameter(lines.into(), times.saturating_add(1));
        let (mut line, mut next) = (0, 0);
        for _ in 0..times {
            if here == 0 {
                packed.get_rice(spacing)?;
                continue;
            }
            line = next_line(&mut packed, line, spacing, lines)?;
            while declaring.get(next).is_some_and(|declaring| *declaring < line) {
                next += 1;
            }
            let is_declaring = declaring.get(next) == Some(&line);
            found.hits.extend(places[..here].iter().map(|(_, term)| Hit { line, term: *term, declaring: is_declaring }));
        }
        places = &places[here..];
    }
    found.hits.sort_unstable();
    Ok(found)
}

/// A term of a text, as far as its places tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldTerm {
    /// The numbers that begin like its own: no other term of the text is among them.
    pub range: RangeInclusive<TermNumber>,
    /// What the text alone gives it: path and names are not in it.
    pub weight: Weight,
}

/// What the places of a text tell of its terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// In order of their numbers.
    pub terms: Vec<HeldTerm>,
    /// [`sum_of`] all terms of the file, those of its path and names included.
    pub sum: u32,
}

/// What terms of a text there are.
///
/// # Errors
/// [`Damaged`], never a panic, for any other bytes.
pub fn held(stored: &[u8]) -> Result<Held, Damaged> {
    let (Head { sum, bytes, lines, bits, count, declaring }, mut packed) = open(stored)?;
    let (spacing, norm) = (parameter(1 << bits, count.into()), norm(bytes));
    let mut number = 0_u64;
    let mut terms = Vec::with_capacity(count as usize);
    for _ in 0..count {
        number = number.checked_add(packed.get_rice(spacing)?).filter(|number| number >> bits == 0).ok_or(Damaged)?;
        let first = number << (NUMBER_BITS - bits);
        let weight = Weight::new(packed.get_gamma()? as f64 / norm, 0);
        terms.push(HeldTerm { range: first..=first | ((1 << (NUMBER_BITS - bits)) - 1), weight });
    }
    let (spacing, place_bits) = (parameter(lines.into(), declaring.into()), bits_of_place(count as usize));
    for _ in 0..declaring {
        packed.get_rice(spacing)?;
        packed.get(FORM_BITS + 1)?;
        if let Some(place) = packed.get(place_bits)?.checked_sub(1) {
            let term = terms.get_mut(place as usize).ok_or(Damaged)?;
            term.weight = term.weight.with(Weight(Weight::DECLARED));
        }
    }
    Ok(Held { terms, sum })
}

/// 32 bits that tell a set of terms from other likely ones.
pub fn sum_of(numbers: impl Iterator<Item = TermNumber>) -> u32 {
    (numbers.fold(0_u64, u64::wrapping_add).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

struct Head {
    sum: u32,
    bytes: u32,
    lines: u32,
    bits: u32,
    count: u32,
    declaring: u32,
}

fn open(stored: &[u8]) -> Result<(Head, bits::Reader<'_>), Damaged> {
    let (head, body) = stored.split_at_checked(5).ok_or(Damaged)?;
    if head[0] != VERSION || head[1..] != checksum(body) {
        return Err(Damaged);
    }
    let (sum, mut rest) = body.split_first_chunk().ok_or(Damaged)?;
    let mut next = || get_u32(&mut rest);
    let head = Head { sum: u32::from_le_bytes(*sum), bytes: next()?, lines: next()?, bits: next()?, count: next()?, declaring: next()? };
    // Each takes a bit at the least.
    if head.bits > NUMBER_BITS || head.lines > MAX_LINES || (u64::from(head.count) + u64::from(head.declaring)) > rest.len() as u64 * 8 {
        return Err(Damaged);
    }
    Ok((head, bits::Reader::new(rest)))
}

/// The line at the next distance from `line`, at most `most`.
fn next_line(packed: &mut bits::Reader<'_>, line: u32, spacing: u32, most: u32) -> Result<u32, Damaged> {
    let distance = u32::try_from(packed.get_rice(spacing)?).map_err(|_| Damaged)?;
    line.checked_add(distance).filter(|line| *line <= most).ok_or(Damaged)
}

/// The fewest leading bits that differ for all numbers, which are in order; at least [`LEAST_BITS`].
fn distinct_bits(terms: &[(TermNumber, &[u32])]) -> u32 {
    let same = terms.windows(2).map(|pair| ((pair[0].0 ^ pair[1].0) << (64 - NUMBER_BITS)).leading_zeros()).max();
    same.map_or(0, |same| same + 1).clamp(LEAST_BITS, NUMBER_BITS)
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
