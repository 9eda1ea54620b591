//! The bytes of one file: as a program sees them, and as they are on the disk.
//!
//! Owns what a sync, a failed sync and a power cut leave of them. Does not own names: see `names`.

use std::collections::{BTreeMap, BTreeSet};

pub(super) const SECTOR_BYTES: u64 = 512;
type Sector = [u8; SECTOR_BYTES as usize];

#[derive(Clone, Debug, Default)]
pub(crate) struct FileNode {
    current: Content,
    durable: Content,
    /// Sectors written since the last sync.
    dirty: BTreeSet<u64>,
    /// The shortest length since the last sync that succeeded.
    cut_to: Option<u64>,
}

#[derive(Clone, Debug, Default)]
struct Content {
    length: u64,
    sectors: BTreeMap<u64, Sector>,
}

impl Content {
    fn read(&self, offset: u64, length: u64) -> Vec<u8> {
        let end = self.length.min(offset + length);
        let mut bytes = Vec::new();
        let mut at = offset;
        while at < end {
            let within = at % SECTOR_BYTES;
            let step = (SECTOR_BYTES - within).min(end - at);
            match self.sectors.get(&(at / SECTOR_BYTES)) {
                Some(sector) => {
                    bytes.extend_from_slice(&sector[within as usize..(within + step) as usize]);
                }
                None => bytes.resize(bytes.len() + step as usize, 0),
            }
            at += step;
        }
        bytes
    }

    /// Removes everything from this length on, so that a file that grows again shows zeros there.
    fn cut(&mut self, length: u64) {
        self.length = self.length.min(length);
        let kept = length.div_ceil(SECTOR_BYTES);
        self.sectors.retain(|number, _| *number < kept);
        let within = (length % SECTOR_BYTES) as usize;
        if let Some(sector) = self.sectors.get_mut(&(length / SECTOR_BYTES)) {
            sector[within..].fill(0);
        }
    }
}

impl FileNode {
    pub(crate) fn length(&self) -> u64 {
        self.current.length
    }

    pub(super) fn read(&self, offset: u64, length: u64) -> Vec<u8> {
        self.current.read(offset, length)
    }

    /// The sectors that hold something, with their places.
    pub(super) fn sectors(&self) -> impl Iterator<Item = (u64, &Sector)> {
        self.current.sectors.iter().map(|(number, sector)| (number * SECTOR_BYTES, sector))
    }

    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let at = offset + (bytes.len() - rest.len()) as u64;
            let (number, within) = (at / SECTOR_BYTES, (at % SECTOR_BYTES) as usize);
            let (part, left) = rest.split_at(rest.len().min(SECTOR_BYTES as usize - within));
            let sector = self.current.sectors.entry(number).or_insert([0; SECTOR_BYTES as usize]);
            sector[within..within + part.len()].copy_from_slice(part);
            self.dirty.insert(number);
            rest = left;
        }
        self.current.length = self.current.length.max(offset + bytes.len() as u64);
    }

    pub(super) fn resize(&mut self, length: u64) {
        if length < self.current.length {
            self.current.cut(length);
            self.cut_to = Some(self.cut_to.map_or(length, |earlier| earlier.min(length)));
        }
        self.current.length = length;
    }

    /// Makes everything durable that was written since the last sync.
    pub(super) fn sync(&mut self) {
        self.persist(true, |_| true);
        self.dirty.clear();
        self.cut_to = None;
    }

    /// Some sectors are written. The others are lost for good although they can be read: the system has marked them as
    /// clean, and no later sync writes them. Only the length is written by the next one.
    pub(super) fn fail_sync(&mut self, random: &mut fastrand::Rng) {
        let chance = random.f64();
        let chosen = chosen_by(random.u64(..), chance);
        self.persist(false, chosen);
        self.dirty.clear();
    }

    /// The file after a power cut: each sector that was not synced survives with this probability,
    /// and so does the length.
    pub(super) fn survivor(&self, random: &mut fastrand::Rng, chance: f64) -> Self {
        let mut file = self.clone();
        let with_length = random.f64() < chance;
        file.persist(with_length, chosen_by(random.u64(..), chance));
        // Sectors without the length that makes them visible are gone; a length without its sectors shows zeros.
        let length = file.durable.length;
        file.durable.cut(length);
        Self { current: file.durable.clone(), durable: file.durable, ..Self::default() }
    }

    fn persist(&mut self, with_length: bool, chosen: impl Fn(u64) -> bool) {
        if let (true, Some(length)) = (with_length, self.cut_to) {
            self.durable.cut(length);
        }
        for number in self.dirty.iter().copied().filter(|number| chosen(*number)) {
            match self.current.sectors.get(&number) {
                Some(sector) => self.durable.sectors.insert(number, *sector),
                None => self.durable.sectors.remove(&number),
            };
        }
        if with_length {
            self.durable.length = self.current.length;
        }
    }
}

fn chosen_by(seed: u64, chance: f64) -> impl Fn(u64) -> bool {
    move |number| {
        fastrand::Rng::with_seed(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15)).f64() < chance
    }
}
