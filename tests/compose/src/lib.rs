//! The image and the Compose file as people get them: the image is built for real, the file is started for real, and both are held
//! to what they promise. Where no container tool can be had, a line says what is left out; continuous integration has them.

#[cfg(test)]
mod base;
#[cfg(test)]
mod compiled;
#[cfg(test)]
mod content;
#[cfg(test)]
mod file;
#[cfg(test)]
mod image;
#[cfg(test)]
mod needs;
#[cfg(test)]
mod others;
#[cfg(test)]
mod script;
#[cfg(test)]
mod stack;
#[cfg(test)]
mod watched;
#[cfg(test)]
mod workplace;
