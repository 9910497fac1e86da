//! Who this user is to Windows, who somebody else is, and what is for this user alone.
#![allow(unsafe_code, reason = "system calls that have no safe form")]

use std::ffi::c_void;
use std::fmt;
use std::io;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr;

use windows_sys::Win32::Foundation::{FILETIME, HANDLE, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW, GetSecurityInfo,
    SDDL_REVISION_1, SE_FILE_OBJECT, SetSecurityInfo,
};
use windows_sys::Win32::Security::{
    ACCESS_ALLOWED_ACE, ACE_HEADER, ACL, DACL_SECURITY_INFORMATION, EqualSid, GetAce, GetLengthSid,
    GetSecurityDescriptorControl, GetSecurityDescriptorDacl, GetTokenInformation, OWNER_SECURITY_INFORMATION,
    PROTECTED_DACL_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, PSID, SE_DACL_PROTECTED, SECURITY_ATTRIBUTES,
    TOKEN_INFORMATION_CLASS, TOKEN_OWNER, TOKEN_QUERY, TOKEN_USER, TokenOwner, TokenUser,
    UNPROTECTED_DACL_SECURITY_INFORMATION,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetProcessTimes, OpenProcess, OpenProcessToken, PROCESS_QUERY_LIMITED_INFORMATION,
};

/// An account or a group, by its security identifier.
#[derive(Clone)]
pub struct Sid(Box<[u8]>);

impl Sid {
    /// Whom this process runs as.
    pub fn of_this_user() -> io::Result<Sid> {
        of_token(&this_token()?, TokenUser)
    }

    /// Who owns what this process makes and gives no owner: in an elevated process, all administrators together.
    pub fn of_new_things() -> io::Result<Sid> {
        of_token(&this_token()?, TokenOwner)
    }

    /// Whom a process runs as.
    pub fn of_process(id: u32) -> io::Result<Sid> {
        of_token(&token_of(open_process(id)?.as_raw_handle())?, TokenUser)
    }

    /// Whom a process runs as that began before this, in units of 100 ns since 1601. Numbers of processes are used again.
    pub fn of_process_begun_before(id: u32, time: i64) -> io::Result<Option<Sid>> {
        let process = open_process(id)?;
        if begun(&process)? > time {
            return Ok(None);
        }
        of_token(&token_of(process.as_raw_handle())?, TokenUser).map(Some)
    }

    fn as_ptr(&self) -> PSID {
        self.0.as_ptr().cast_mut().cast()
    }

    /// # Safety
    /// The pointer leads to a valid identifier.
    unsafe fn copied(from: PSID) -> Sid {
        // SAFETY: the caller's promise; the length is that of the identifier.
        unsafe {
            let length = GetLengthSid(from) as usize;
            Sid(std::slice::from_raw_parts(from.cast::<u8>(), length).into())
        }
    }
}

impl PartialEq for Sid {
    fn eq(&self, other: &Sid) -> bool {
        self.0 == other.0
    }
}

impl Eq for Sid {}

impl fmt::Display for Sid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = ptr::null_mut();
        // SAFETY: the identifier is valid; the text is freed below.
        if unsafe { ConvertSidToStringSidW(self.as_ptr(), &raw mut text) } == 0 {
            return Err(fmt::Error);
        }
        // SAFETY: Windows gave a text that ends in a zero, and expects `LocalFree`.
        let shown = unsafe {
            let length = (0..).take_while(|at| *text.add(*at) != 0).count();
            let shown = String::from_utf16_lossy(std::slice::from_raw_parts(text, length));
            LocalFree(text.cast());
            shown
        };
        formatter.write_str(&shown)
    }
}

impl fmt::Debug for Sid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// # Safety
/// The handle, if it is one, belongs to nobody else.
unsafe fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

fn open_process(id: u32) -> io::Result<OwnedHandle> {
    // SAFETY: no pointer is passed; the handle is checked and closed by its owner.
    unsafe { owned(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, id)) }
}

/// When a process began.
fn begun(process: &OwnedHandle) -> io::Result<i64> {
    let mut times = [FILETIME::default(); 4];
    let [begun, ended, in_kernel, in_user] = &mut times;
    // SAFETY: the handle is open, and the pointers lead to places for times.
    if unsafe { GetProcessTimes(process.as_raw_handle(), begun, ended, in_kernel, in_user) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(i64::from(begun.dwHighDateTime) << 32 | i64::from(begun.dwLowDateTime))
}

fn this_token() -> io::Result<OwnedHandle> {
    // SAFETY: no pointer is passed; the answer is a constant.
    token_of(unsafe { GetCurrentProcess() })
}

fn token_of(process: HANDLE) -> io::Result<OwnedHandle> {
    let mut token = ptr::null_mut();
    // SAFETY: the pointer leads to a place for the handle.
    if unsafe { OpenProcessToken(process, TOKEN_QUERY, &raw mut token) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle was just made for us.
    unsafe { owned(token) }
}

fn of_token(token: &OwnedHandle, which: TOKEN_INFORMATION_CLASS) -> io::Result<Sid> {
    let mut length = 0;
    // SAFETY: nothing is written to a place of no length; the call tells how much room is needed.
    unsafe { GetTokenInformation(token.as_raw_handle(), which, ptr::null_mut(), 0, &raw mut length) };
    // Words, so that the pointer in it is where the processor wants it.
    let mut room = vec![0_u64; (length as usize).div_ceil(8).max(1)];
    let at = room.as_mut_ptr();
    // SAFETY: the buffer has as many bytes as is said.
    let told =
        unsafe { GetTokenInformation(token.as_raw_handle(), which, at.cast(), length, &raw mut length) };
    if told == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: both structures begin with a pointer to an identifier, in the same buffer.
    let sid = unsafe {
        if which == TokenOwner {
            (*at.cast::<TOKEN_OWNER>()).Owner
        } else {
            (*at.cast::<TOKEN_USER>()).User.Sid
        }
    };
    // SAFETY: Windows just wrote it.
    Ok(unsafe { Sid::copied(sid) })
}

/// A security descriptor, and the attributes that new things are given it by.
pub struct Descriptor {
    at: PSECURITY_DESCRIPTOR,
}

// SAFETY: it is memory that nobody changes.
unsafe impl Send for Descriptor {}
// SAFETY: as above.
unsafe impl Sync for Descriptor {}

impl Descriptor {
    /// Everything for this user, who owns it, and nothing for anybody else; things below inherit that.
    pub fn of_this_user_alone() -> io::Result<Descriptor> {
        let user = Sid::of_this_user()?;
        Descriptor::parse(&format!("O:{user}D:P(A;OICI;FA;;;{user})"))
    }

    /// Reads the text form.
    pub fn parse(text: &str) -> io::Result<Descriptor> {
        let text: Vec<u16> = text.encode_utf16().chain([0]).collect();
        let mut at = ptr::null_mut();
        // SAFETY: the text ends in a zero; the descriptor is freed with this type.
        let made = unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                text.as_ptr(),
                SDDL_REVISION_1,
                &raw mut at,
                ptr::null_mut(),
            )
        };
        if made == 0 { Err(io::Error::last_os_error()) } else { Ok(Descriptor { at }) }
    }

    /// For calls that make something. It must not outlive the descriptor.
    pub fn attributes(&self) -> SECURITY_ATTRIBUTES {
        SECURITY_ATTRIBUTES {
            nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
            lpSecurityDescriptor: self.at,
            bInheritHandle: 0,
        }
    }

    /// The descriptor of an open file, folder or pipe: its owner and who may use it.
    pub fn of(file: BorrowedHandle<'_>) -> io::Result<Descriptor> {
        let mut at = ptr::null_mut();
        let wanted = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
        // SAFETY: the handle is open; parts that are not asked for are null.
        let status = unsafe {
            GetSecurityInfo(
                file.as_raw_handle(),
                SE_FILE_OBJECT,
                wanted,
                ptr::null_mut(),
                ptr::null_mut(),
                ptr::null_mut(),
                ptr::null_mut(),
                &raw mut at,
            )
        };
        succeeded(status).map(|()| Descriptor { at })
    }

    /// Whose it is.
    pub fn owner(&self) -> io::Result<Sid> {
        let (mut owner, mut is_default) = (ptr::null_mut(), 0);
        // SAFETY: the descriptor is valid; the owner is a part of it.
        unsafe {
            let told = windows_sys::Win32::Security::GetSecurityDescriptorOwner(
                self.at,
                &raw mut owner,
                &raw mut is_default,
            );
            if told == 0 || owner.is_null() {
                return Err(io::Error::other("it has no owner"));
            }
            Ok(Sid::copied(owner))
        }
    }

    /// The list of who may use it; null where everybody may do everything.
    fn list(&self) -> io::Result<*mut ACL> {
        let (mut is_there, mut list, mut is_default) = (0, ptr::null_mut(), 0);
        // SAFETY: the descriptor is valid; the list is a part of it.
        let told = unsafe {
            GetSecurityDescriptorDacl(self.at, &raw mut is_there, &raw mut list, &raw mut is_default)
        };
        if told == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(if is_there == 0 { ptr::null_mut() } else { list })
    }

    /// Whether it takes nothing from the folder above.
    fn is_protected(&self) -> bool {
        let (mut control, mut revision) = (0, 0);
        // SAFETY: the descriptor is valid.
        let told = unsafe { GetSecurityDescriptorControl(self.at, &raw mut control, &raw mut revision) };
        told != 0 && control & SE_DACL_PROTECTED != 0
    }

    /// Whether anybody but this user may use it, the system and the administrators aside, who can do as they like anyway.
    pub fn lets_others_in(&self) -> io::Result<bool> {
        let list = self.list()?;
        if list.is_null() {
            return Ok(true);
        }
        let known = Descriptor::known()?;
        // SAFETY: the list is valid as long as the descriptor is.
        let count = unsafe { (*list).AceCount };
        for index in 0..u32::from(count) {
            let mut entry = ptr::null_mut::<c_void>();
            // SAFETY: the index is below the count.
            if unsafe { GetAce(list, index, &raw mut entry) } == 0 {
                return Err(io::Error::last_os_error());
            }
            const ALLOWED: u8 = 0;
            const DENIED: u8 = 1;
            // SAFETY: every entry begins with a header.
            match unsafe { (*entry.cast::<ACE_HEADER>()).AceType } {
                DENIED => {}
                ALLOWED => {
                    // SAFETY: the header says that it is such an entry, which ends in an identifier.
                    let sid = unsafe { &raw mut (*entry.cast::<ACCESS_ALLOWED_ACE>()).SidStart };
                    // SAFETY: both are valid identifiers.
                    if !known.iter().any(|one| unsafe { EqualSid(one.as_ptr(), sid.cast()) } != 0) {
                        return Ok(true);
                    }
                }
                // Whatever else there is lets somebody in.
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    /// This user, the system, the administrators.
    fn known() -> io::Result<[Sid; 3]> {
        let system = Descriptor::parse("O:SY")?.owner()?;
        let administrators = Descriptor::parse("O:BA")?.owner()?;
        Ok([Sid::of_this_user()?, system, administrators])
    }

    /// Lets the same people use a file, and nobody else. The file must be open with the right to change that.
    pub fn apply(&self, file: BorrowedHandle<'_>) -> io::Result<()> {
        let inheritance = if self.is_protected() {
            PROTECTED_DACL_SECURITY_INFORMATION
        } else {
            UNPROTECTED_DACL_SECURITY_INFORMATION
        };
        // SAFETY: the handle is open and the list valid; owner and group are not touched.
        let status = unsafe {
            SetSecurityInfo(
                file.as_raw_handle(),
                SE_FILE_OBJECT,
                DACL_SECURITY_INFORMATION | inheritance,
                ptr::null_mut(),
                ptr::null_mut(),
                self.list()?,
                ptr::null_mut(),
            )
        };
        succeeded(status)
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: Windows made it and expects this call.
        unsafe { LocalFree(self.at) };
    }
}

fn succeeded(status: u32) -> io::Result<()> {
    match status {
        0 => Ok(()),
        status => Err(io::Error::from_raw_os_error(status.cast_signed())),
    }
}

#[cfg(test)]
mod tests {
    use super::{Descriptor, Sid};

    #[test]
    fn this_process_runs_as_this_user() {
        let user = Sid::of_this_user().expect("a user");
        assert_eq!(Sid::of_process(std::process::id()).expect("a process"), user);
        assert!(user.to_string().starts_with("S-1-"), "{user}");
    }

    #[test]
    fn a_process_that_began_later_is_another_one() {
        let us = std::process::id();
        let user = Sid::of_this_user().expect("a user");
        assert_eq!(Sid::of_process_begun_before(us, i64::MAX).expect("a process"), Some(user));
        // In 1601, nobody was there.
        assert_eq!(Sid::of_process_begun_before(us, 1).expect("a process"), None);
    }

    #[test]
    fn who_else_is_let_in_is_known() {
        let alone = Descriptor::of_this_user_alone().expect("a descriptor");
        assert!(!alone.lets_others_in().expect("a list"));
        assert_eq!(alone.owner().expect("an owner"), Sid::of_this_user().expect("a user"));
        for others in ["D:(A;;GA;;;WD)", "D:(A;;GR;;;SY)(A;;GR;;;BU)", "O:SY"] {
            let descriptor = Descriptor::parse(others).expect(others);
            assert!(descriptor.lets_others_in().expect("a list"), "{others}");
        }
        let system = Descriptor::parse("D:P(A;;GA;;;SY)(A;;GA;;;BA)(D;;GA;;;WD)").expect("a descriptor");
        assert!(!system.lets_others_in().expect("a list"));
    }
}
