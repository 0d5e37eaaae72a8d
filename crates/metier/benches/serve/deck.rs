//! Requests that are built once; only their ids change from call to call.

/// The first id; all ids have as many digits, so they can be written in place.
pub(crate) const FIRST_ID: u32 = 10_000_000;

/// Requests, dealt in turn for ever.
pub(crate) struct Deck {
    cards: Vec<Card>,
    next: usize,
    id: u32,
}

struct Card {
    bytes: Vec<u8>,
    id_at: usize,
}

impl Deck {
    /// From requests in the frame of their transport, each with the first id.
    pub(crate) fn new(requests: impl Iterator<Item = Vec<u8>>) -> Deck {
        Deck { cards: requests.map(Card::new).collect(), next: 0, id: FIRST_ID }
    }

    /// The next request and its id.
    pub(crate) fn deal(&mut self) -> (u32, &[u8]) {
        let id = self.id;
        self.id += 1;
        self.next = (self.next + 1) % self.cards.len();
        (id, self.cards[self.next].with_id(id))
    }
}

impl Card {
    fn new(bytes: Vec<u8>) -> Card {
        let id_at = memchr::memmem::find(&bytes, FIRST_ID.to_string().as_bytes()).unwrap();
        Card { bytes, id_at }
    }

    fn with_id(&mut self, id: u32) -> &[u8] {
        let mut rest = id;
        for digit in self.bytes[self.id_at..self.id_at + 8].iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        &self.bytes
    }
}
