//! libtesseract itself: found at run time, called through its C interface.
//!
//! This is the only file with `unsafe` code of this crate. The types here keep the rules of the C interface: a session
//! is started before it reads, used by one thread at a time, and ended once.

#![expect(unsafe_code, reason = "a C library found at run time can be called in no other way")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::{Arc, LazyLock};

use super::data::Data;
use super::gray::Gray;
use crate::{Error, Languages, Progress, Watch, sys};

/// Dots per inch of a screen; without one Tesseract guesses, and says so on stderr.
const RESOLUTION: c_int = 96;

type Handle = *mut c_void;
type Monitor = *mut c_void;
type Cancel = unsafe extern "C" fn(this: *mut c_void, words: c_int) -> bool;

/// The functions we use.
pub(super) struct Library {
    create: unsafe extern "C" fn() -> Handle,
    delete: unsafe extern "C" fn(Handle),
    start: unsafe extern "C" fn(Handle, *const c_char, *const c_char) -> c_int,
    set_variable: unsafe extern "C" fn(Handle, *const c_char, *const c_char) -> c_int,
    set_image: unsafe extern "C" fn(Handle, *const u8, c_int, c_int, c_int, c_int),
    set_resolution: unsafe extern "C" fn(Handle, c_int),
    recognize: unsafe extern "C" fn(Handle, Monitor) -> c_int,
    table: unsafe extern "C" fn(Handle, c_int) -> *mut c_char,
    delete_text: unsafe extern "C" fn(*const c_char),
    clear: unsafe extern "C" fn(Handle),
    create_monitor: unsafe extern "C" fn() -> Monitor,
    delete_monitor: unsafe extern "C" fn(Monitor),
    set_cancel: unsafe extern "C" fn(Monitor, Cancel),
    set_cancel_this: unsafe extern "C" fn(Monitor, *mut c_void),
}

impl Library {
    /// The library of this machine, loaded by the first call and never unloaded.
    pub(super) fn get() -> Result<&'static Self, Error> {
        static LIBRARY: LazyLock<Result<Library, Arc<libloading::Error>>> =
            LazyLock::new(|| Library::load().map_err(Arc::new));
        LIBRARY.as_ref().map_err(|error| Error::NoTesseract(Arc::clone(error)))
    }

    fn load() -> Result<Self, libloading::Error> {
        // SAFETY: initialisers of this library only set up its own globals.
        let library = unsafe { sys::load_tesseract()? };
        // SAFETY: the types are those of `tesseract/capi.h`, the same in versions 4 and 5.
        let functions = unsafe {
            Self {
                create: *library.get(c"TessBaseAPICreate")?,
                delete: *library.get(c"TessBaseAPIDelete")?,
                start: *library.get(c"TessBaseAPIInit3")?,
                set_variable: *library.get(c"TessBaseAPISetVariable")?,
                set_image: *library.get(c"TessBaseAPISetImage")?,
                set_resolution: *library.get(c"TessBaseAPISetSourceResolution")?,
                recognize: *library.get(c"TessBaseAPIRecognize")?,
                table: *library.get(c"TessBaseAPIGetTsvText")?,
                delete_text: *library.get(c"TessDeleteText")?,
                clear: *library.get(c"TessBaseAPIClear")?,
                create_monitor: *library.get(c"TessMonitorCreate")?,
                delete_monitor: *library.get(c"TessMonitorDelete")?,
                set_cancel: *library.get(c"TessMonitorSetCancelFunc")?,
                set_cancel_this: *library.get(c"TessMonitorSetCancelThis")?,
            }
        };
        // The functions above are only good while it is loaded.
        std::mem::forget(library);
        Ok(functions)
    }

    /// Loads the data of some languages.
    pub(super) fn start(&'static self, languages: &Languages, data: &Data) -> Result<Session, Error> {
        let failed = || Error::TesseractStart {
            languages: languages.to_string(),
            folder: data.folder().display().to_string(),
        };
        let folder = data.folder().to_str().and_then(|path| CString::new(path).ok()).ok_or_else(failed)?;
        let codes = CString::new(languages.to_string()).map_err(|_| failed())?;
        // SAFETY: a new handle, owned by the session from here on, which deletes it.
        let session = Session { library: self, handle: unsafe { (self.create)() } };
        // SAFETY: the handle is live, the strings end with zero and outlive the calls.
        let status = unsafe {
            (self.set_variable)(session.handle, c"debug_file".as_ptr(), c"/dev/null".as_ptr());
            (self.start)(session.handle, folder.as_ptr(), codes.as_ptr())
        };
        if status == 0 { Ok(session) } else { Err(failed()) }
    }
}

/// A started Tesseract.
pub(super) struct Session {
    library: &'static Library,
    handle: Handle,
}

// SAFETY: a handle is bound to no thread; it must only not be used by two at once, and `read` takes it exclusively.
unsafe impl Send for Session {}

impl Session {
    /// The table of words of a picture.
    pub(super) fn read(&mut self, gray: &Gray, watch: &mut Watch<'_>) -> Result<String, Error> {
        let side = |pixels: usize| c_int::try_from(pixels).map_err(|_| Error::TesseractRead);
        let (width, height) = (side(gray.width())?, side(gray.height())?);
        let library = self.library;
        // SAFETY: the handle is started; Tesseract copies the picture, which has `height` rows of `width` bytes.
        unsafe {
            (library.set_image)(self.handle, gray.bytes().as_ptr(), width, height, 1, width);
            (library.set_resolution)(self.handle, RESOLUTION);
        }
        let outcome = self.recognize(watch);
        // SAFETY: what the picture and its words took is given back; the handle stays started.
        let clear = || unsafe { (library.clear)(self.handle) };
        if let Err(error) = outcome {
            clear();
            return Err(error);
        }
        // SAFETY: the words are there; the text is ours until it is deleted, and ends with zero.
        let text = unsafe {
            let text = (library.table)(self.handle, 0);
            let copy = (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned());
            (library.delete_text)(text);
            copy
        };
        clear();
        text.ok_or(Error::TesseractRead)
    }

    fn recognize(&mut self, watch: &mut Watch<'_>) -> Result<(), Error> {
        let library = self.library;
        let mut watched = Watched { watch, outcome: Ok(ControlFlow::Continue(())) };
        // SAFETY: the monitor lives for this call alone; `watched` outlives it and is used by the callback only.
        let status = unsafe {
            let monitor = (library.create_monitor)();
            (library.set_cancel)(monitor, is_cancelled);
            (library.set_cancel_this)(monitor, ptr::from_mut(&mut watched).cast());
            let status = (library.recognize)(self.handle, monitor);
            (library.delete_monitor)(monitor);
            status
        };
        match watched.outcome {
            Err(panic) => resume_unwind(panic),
            Ok(ControlFlow::Break(())) => Err(Error::Stopped),
            Ok(ControlFlow::Continue(())) if status != 0 => Err(Error::TesseractRead),
            Ok(ControlFlow::Continue(())) => Ok(()),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: it was created once and is deleted once.
        unsafe { (self.library.delete)(self.handle) }
    }
}

/// What the callback needs.
struct Watched<'a, 'b> {
    watch: &'a mut Watch<'b>,
    outcome: Result<ControlFlow<()>, Box<dyn std::any::Any + Send>>,
}

/// Asked by Tesseract before each word.
unsafe extern "C" fn is_cancelled(this: *mut c_void, words: c_int) -> bool {
    // SAFETY: `this` is what `recognize` set, and nobody else uses it meanwhile.
    let watched = unsafe { &mut *this.cast::<Watched<'_, '_>>() };
    let done = usize::try_from(words).unwrap_or(0);
    // How many words there are it does not tell. No panic may pass through C.
    watched.outcome = catch_unwind(AssertUnwindSafe(|| (watched.watch)(Progress { done, of: done })));
    !matches!(watched.outcome, Ok(ControlFlow::Continue(())))
}
