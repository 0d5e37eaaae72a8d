//! A loop on one thread: read a line, answer it, write it.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
    os::fd::AsFd,
};

use super::Skills;

pub(super) fn serve(skills: &Skills) -> io::Result<()> {
    // Past the buffers and locks of the standard streams.
    let mut input =
        BufReader::with_capacity(1 << 16, File::from(io::stdin().as_fd().try_clone_to_owned()?));
    let mut output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let (mut line, mut out) = (Vec::new(), Vec::new());
    while input.read_until(b'\n', &mut line)? > 0 {
        skills.answer(&line, &mut out);
        if !out.is_empty() {
            out.push(b'\n');
            output.write_all(&out)?;
        }
        line.clear();
        out.clear();
    }
    Ok(())
}
