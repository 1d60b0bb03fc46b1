#include "support/c_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_set>

namespace vouch {
namespace {

// The same rows of words as in coq/certify/CWords.v; tests/lint/c_words_test.py compares them.
constexpr std::string_view kKeywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class co_await co_return co_yield "
    "compl concept const const_cast consteval constexpr constinit continue decltype default delete do double "
    "dynamic_cast else enum explicit export extern false final float for fortran friend goto if import inline int "
    "long module mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected "
    "public register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast "
    "std struct switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual union "
    "unsigned using virtual void volatile while xor xor_eq ";

constexpr std::string_view kOurs =
    "abs_int32 abs_int64 abs_uint64 add_int32 add_int64 add_uint64 at_least at_most bfloat16 bfloat16_of_double "
    "bfloat16_of_float "
    "bool_of_double bool_of_float bool_of_int32 bool_of_int64 bool_of_uint64 div_int32 div_int64 div_uint64 "
    "double_of_bfloat16 double_of_bool double_of_float double_of_float16 double_of_index double_of_int16 "
    "double_of_int32 double_of_int64 double_of_int8 double_of_uint16 double_of_uint32 double_of_uint64 "
    "double_of_uint8 erf_lanes exp_lanes failed float16 float16_of_double float16_of_float float_of_bfloat16 "
    "float_of_bool float_of_double float_of_float16 float_of_index float_of_int16 float_of_int32 float_of_int64 "
    "float_of_int8 float_of_uint16 float_of_uint32 float_of_uint64 float_of_uint8 greater greater_double "
    "int16_of_double int16_of_float int16_of_int32 int16_of_int64 int16_of_uint64 int32_of_bool int32_of_double "
    "int32_of_float int32_of_index int32_of_int16 int32_of_int64 int32_of_int8 int32_of_uint16 int32_of_uint32 "
    "int32_of_uint64 int32_of_uint8 int64_of_bool int64_of_double int64_of_float int64_of_index int64_of_int16 "
    "int64_of_int32 int64_of_int8 int64_of_uint16 int64_of_uint32 int64_of_uint64 int64_of_uint8 int8_of_double "
    "int8_of_float int8_of_int32 int8_of_int64 int8_of_uint64 lesser lesser_double main max_int32 max_int64 "
    "max_uint64 min_int32 min_int64 min_uint64 missing mul_int32 mul_int64 mul_uint64 neg_int32 neg_int64 neg_uint64 "
    "new_doubles new_floats new_int32s new_int64s new_uint64s no_memory overlap size_product size_sum sub_int32 "
    "sub_int64 sub_uint64 tanh_lanes uint16_of_double uint16_of_float uint16_of_int32 uint16_of_int64 "
    "uint16_of_uint64 uint32_of_double uint32_of_float uint32_of_int32 uint32_of_int64 uint32_of_uint64 "
    "uint64_of_bool uint64_of_double uint64_of_float uint64_of_index uint64_of_int16 uint64_of_int32 uint64_of_int64 "
    "uint64_of_int8 uint64_of_uint16 uint64_of_uint32 uint64_of_uint8 uint8_of_double uint8_of_float uint8_of_int32 "
    "uint8_of_int64 uint8_of_uint64 ";

constexpr std::string_view kPlatform =
    "assert bsdi cdecl complex errno far hppa hpux huge i386 i486 i586 i686 imaginary interface linux m68k max "
    "mc68000 min mips near noreturn offsetof pascal pixel setjmp sgi sparc sun ultrix unix vax vector vms ";

constexpr std::string_view kLibrary =
    "a64l abort abs acos acosh aligned_alloc alloca arc4random arc4random_buf arc4random_uniform asin asinh asprintf "
    "at_quick_exit atan atan2 atanh atexit atof atoi atol bcmp bcopy be16toh be32toh be64toh bsearch bzero cabs cacos "
    "cacosh calloc canonicalize canonicalize_file_name carg casin casinh catan catanh cbrt ccos ccosh ceil cexp cimag "
    "clearenv clearerr clearerr_unlocked clog clog10 conj copysign cos cosh cpow cproj creal csin csinh csqrt ctan "
    "ctanh ctermid cuserid daddl dcgettext ddivl dfmal dgettext div dmull dprintf drand48 drem dsqrtl dsubl ecvt "
    "erand48 erf erfc execl execle execlp execv execve execvp exit exp exp10 exp2 expm1 fabs fadd fclose fcloseall "
    "fcvt fd_mask fd_set fdim fdiv fdopen fegetenv fegetexceptflag fegetround feholdexcept feof feof_unlocked ferror "
    "ferror_unlocked fesetenv fesetexceptflag feupdateenv fflush fflush_unlocked ffma ffsimax ffsl fgetc "
    "fgetc_unlocked fgetpos fgetpos64 fgets fgets_unlocked fileno fileno_unlocked finite flockfile floor fma fmax "
    "fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmemopen fmin fminimum fminimum_mag fminimum_mag_num "
    "fminimum_num fminmag fmod fmul fopen fopen64 fopencookie fork fpclassify fprintf fprintf_unlocked fputc "
    "fputc_unlocked fputs fputs_unlocked fread fread_unlocked free freopen freopen64 frexp fromfp fromfpx fscanf "
    "fseek fseeko fseeko64 fsetpos fsetpos64 fsqrt fsub ftell ftello ftello64 ftrylockfile funlockfile fwrite "
    "fwrite_unlocked gamma gcvt getc getc_unlocked getchar getchar_unlocked getdelim getenv getline getloadavg "
    "getpayload getpt gets getsubopt gettext getw grantpt htobe16 htobe32 htobe64 htole16 htole32 htole64 hypot ilogb "
    "imaxabs index initstate isalnum isalpha isblank iscanonical iscntrl isdigit iseqsig isfinite isgraph isgreater "
    "isgreaterequal isinf isless islessequal islessgreater islower isnan isnormal isprint ispunct issignaling isspace "
    "issubnormal isunordered isupper isxdigit iszero j0 j1 jn jrand48 l64a labs lcong48 ldexp ldiv le16toh le32toh "
    "le64toh lgamma llabs lldiv llogb llrint llround log log10 log1p log2 logb lrand48 lrint lround malloc "
    "math_errhandling mblen mbstowcs mbtowc memalign memccpy memchr memcmp memcpy memmove mempcpy memset mkdtemp "
    "mkostemp mkostemp64 mkostemps mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 mktemp modf mrand48 nan "
    "nearbyint nextafter nextdown nexttoward nextup nrand48 obstack_printf obstack_vprintf on_exit open_memstream "
    "pclose perror popen posix_memalign posix_openpt pow pow10 printf printf_unlocked pselect ptsname putc "
    "putc_unlocked putchar putchar_unlocked putenv puts puts_unlocked putw qecvt qfcvt qgcvt qsort quick_exit rand "
    "random realloc reallocarray realpath remainder remove remquo rename renameat renameat2 rewind rindex rint round "
    "roundeven rpmatch scalb scalbln scalbn scanf secure_getenv seed48 select setbuf setbuffer setenv setlinebuf "
    "setpayload setpayloadsig setstate setvbuf signbit signgam significand sin sincos sinh snprintf sprintf sqrt "
    "srand srand48 srandom sscanf stderr stdin stdout stpcpy stpncpy strcasecmp strcat strchr strcmp strcpy strcspn "
    "strdup strerror strfmon strfromd strfromf strfromf32 strfromf32x strfromf64 strfromf64x strfroml strftime strlen "
    "strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr strtod strtod_l strtof "
    "strtof32 strtof32_l strtof32x strtof32x_l strtof64 strtof64_l strtof64x strtof64x_l strtof_l strtok strtol "
    "strtol_l strtold strtold_l strtoll_l strtoq strtoul strtoul_l strtoull_l strtouq strxfrm system tan tanh tempnam "
    "tgamma tmpfile tmpfile64 tmpnam tolower totalorder totalordermag toupper trunc u_char u_int u_long u_short "
    "ufromfp ufromfpx uint ulong ungetc unlockpt unsetenv ushort va_arg va_copy va_end va_list va_start valloc "
    "vasprintf vdprintf vfork vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf wcschr wcscmp wcslen wcsncmp "
    "wcstombs wctomb wmemchr wmemcmp wmemcpy wmemmove y0 y1 yn ";

constexpr std::string_view kLinked =
    "accept accept4 access acct addmntent addseverity adjtime adjtimex advance alarm alphasort alphasort64 arch_prctl "
    "asctime asctime_r authdes_create authdes_getucred authdes_pk_create authnone_create authunix_create "
    "authunix_create_default backtrace backtrace_symbols backtrace_symbols_fd basename bdflush bind "
    "bind_textdomain_codeset bindresvport bindtextdomain brk bsd_signal btowc c16rtomb c32rtomb c8rtomb call_once "
    "callrpc capget capset catclose catgets catopen cbc_crypt cfgetispeed cfgetospeed cfmakeraw cfree cfsetispeed "
    "cfsetospeed cfsetspeed chdir chflags chmod chown chroot clntraw_create clnttcp_create clntudp_bufcreate "
    "clntudp_create clntunix_create clock clone close close_range closedir closefrom closelog confstr connect "
    "copy_file_range creat creat64 create_module ctime ctime_r daemon daylight dcngettext delete_module des_setparity "
    "difftime dirfd dirname dl_iterate_phdr dladdr dladdr1 dlclose dlerror dlinfo dlmopen dlopen dlsym dlvsym dn_comp "
    "dn_expand dn_skipname dngettext dup dup2 dup3 duplocale dysize eaccess ecb_crypt endaliasent endfsent endgrent "
    "endhostent endmntent endnetent endnetgrent endprotoent endpwent endrpcent endservent endsgent endspent endttyent "
    "endusershell endutent endutxent environ err error error_at_line error_message_count error_one_per_line "
    "error_print_progname errx euidaccess eventfd eventfd_read eventfd_write execveat execvpe explicit_bzero "
    "faccessat fallocate fallocate64 fattach fchdir fchflags fchmod fchmodat fchown fchownat fcntl fcntl64 fdatasync "
    "fdetach fdopendir feclearexcept fedisableexcept feenableexcept fegetexcept fegetmode feraiseexcept fesetexcept "
    "fesetmode fesetround fetestexcept fetestexceptflag fexecve ffs fgetgrent fgetgrent_r fgetpwent fgetpwent_r "
    "fgetsgent fgetsgent_r fgetspent fgetspent_r fgetwc fgetwc_unlocked fgetws fgetws_unlocked fgetxattr flistxattr "
    "flock fmtmsg fnmatch forkpty fpathconf fputwc fputwc_unlocked fputws fputws_unlocked freeaddrinfo freeifaddrs "
    "freelocale fremovexattr fsconfig fsetxattr fsmount fsopen fspick fstat fstat64 fstatat fstatat64 fstatfs "
    "fstatfs64 fstatvfs fstatvfs64 fsync ftime ftok ftruncate ftruncate64 fts64_children fts64_close fts64_open "
    "fts64_read fts64_set fts_children fts_close fts_open fts_read fts_set ftw ftw64 futimens futimes futimesat fwide "
    "fwprintf fwscanf get_avphys_pages get_current_dir_name get_kernel_syms get_myaddress get_nprocs get_nprocs_conf "
    "get_phys_pages getaddrinfo getaddrinfo_a getaliasbyname getaliasbyname_r getaliasent getaliasent_r getauxval "
    "getcontext getcpu getcwd getdate getdate_err getdate_r getdents64 getdirentries getdirentries64 getdomainname "
    "getdtablesize getegid getentropy geteuid getfsent getfsfile getfsspec getgid getgrent getgrent_r getgrgid "
    "getgrgid_r getgrnam getgrnam_r getgrouplist getgroups gethostbyaddr gethostbyaddr_r gethostbyname gethostbyname2 "
    "gethostbyname2_r gethostbyname_r gethostent gethostent_r gethostid gethostname getifaddrs getipv4sourcefilter "
    "getitimer getlogin getlogin_r getmntent getmntent_r getmsg getnameinfo getnetbyaddr getnetbyaddr_r getnetbyname "
    "getnetbyname_r getnetent getnetent_r getnetgrent getnetgrent_r getnetname getopt getopt_long getopt_long_only "
    "getpagesize getpass getpeername getpgid getpgrp getpid getpmsg getppid getpriority getprotobyname "
    "getprotobyname_r getprotobynumber getprotobynumber_r getprotoent getprotoent_r getpublickey getpw getpwent "
    "getpwent_r getpwnam getpwnam_r getpwuid getpwuid_r getrandom getresgid getresuid getrlimit getrlimit64 "
    "getrpcbyname getrpcbyname_r getrpcbynumber getrpcbynumber_r getrpcent getrpcent_r getrpcport getrusage "
    "getsecretkey getservbyname getservbyname_r getservbyport getservbyport_r getservent getservent_r getsgent "
    "getsgent_r getsgnam getsgnam_r getsid getsockname getsockopt getsourcefilter getspent getspent_r getspnam "
    "getspnam_r gettid gettimeofday getttyent getttynam getuid getusershell getutent getutent_r getutid getutid_r "
    "getutline getutline_r getutmp getutmpx getutxent getutxid getutxline getwc getwc_unlocked getwchar "
    "getwchar_unlocked getwd getxattr glob glob64 glob_pattern_p globfree globfree64 gmtime gmtime_r gnu_dev_major "
    "gnu_dev_makedev gnu_dev_minor gnu_get_libc_release gnu_get_libc_version group_member gsignal gtty h_errlist "
    "h_nerr hasmntopt hcreate hcreate_r hdestroy hdestroy_r herror host2netname hsearch hsearch_r hstrerror htonl "
    "htons iconv iconv_close iconv_open if_freenameindex if_indextoname if_nameindex if_nametoindex imaxdiv "
    "in6addr_any in6addr_loopback init_module initgroups innetgr insque ioctl ioperm iopl iruserok iruserok_af "
    "key_decryptsession key_decryptsession_pk key_encryptsession key_encryptsession_pk key_gendes key_get_conv "
    "key_secretkey_is_set key_setnet key_setsecret kill killpg klogctl lchmod lchown lckpwdf lfind lgetxattr link "
    "linkat listen listxattr llistxattr llseek loc1 loc2 localeconv localtime localtime_r lockf lockf64 locs login "
    "login_tty logout logwtmp longjmp lremovexattr lsearch lseek lseek64 lsetxattr lstat lstat64 lutimes madvise "
    "makecontext mallinfo mallinfo2 malloc_info malloc_stats malloc_trim malloc_usable_size mallopt mallwatch matherr "
    "mbrlen mbrtoc16 mbrtoc32 mbrtoc8 mbrtowc mbsinit mbsnrtowcs mbsrtowcs mcheck mcheck_check_all mcheck_pedantic "
    "mcount mincore mkdir mkdirat mkfifo mkfifoat mknod mknodat mktime mlock mlock2 mlockall mmap mmap64 modify_ldt "
    "moncontrol monstartup mount mount_setattr move_mount mprobe mprotect mremap msgctl msgget msgrcv msgsnd msync "
    "mtrace munlock munlockall munmap muntrace name_to_handle_at nanosleep netname2host netname2user newlocale "
    "nfsservctl nftw nftw64 ngettext nice nl_langinfo nl_langinfo_l ns_name_compress ns_name_ntop ns_name_pack "
    "ns_name_pton ns_name_skip ns_name_uncompress ns_name_unpack ntohl ntohs ntp_adjtime ntp_gettime ntp_gettimex "
    "obstack_alloc_failed_handler obstack_exit_failure obstack_free open open64 open_by_handle_at open_tree "
    "open_wmemstream openat openat64 opendir openlog openpty optarg opterr optind optopt parse_printf_format "
    "passwd2des pathconf pause personality pipe pipe2 pivot_root pmap_getmaps pmap_getport pmap_rmtcall pmap_set "
    "pmap_unset poll ppoll prctl pread pread64 preadv preadv2 preadv64 preadv64v2 printf_size printf_size_info "
    "prlimit prlimit64 process_madvise process_mrelease process_vm_readv process_vm_writev profil "
    "program_invocation_name program_invocation_short_name psiginfo psignal ptrace putgrent putmsg putpmsg putpwent "
    "putsgent putspent pututline pututxline putwc putwc_unlocked putwchar putwchar_unlocked pvalloc pwrite pwrite64 "
    "pwritev pwritev2 pwritev64 pwritev64v2 query_module quotactl raise rawmemchr rcmd rcmd_af re_comp "
    "re_compile_fastmap re_compile_pattern re_exec re_match re_match_2 re_max_failures re_search re_search_2 "
    "re_set_registers re_set_syntax re_syntax_options read readahead readdir readdir64 readdir64_r readdir_r readlink "
    "readlinkat readv reboot recv recvfrom recvmmsg recvmsg regcomp regerror regexec regfree register_printf_function "
    "register_printf_modifier register_printf_specifier register_printf_type registerrpc remap_file_pages removexattr "
    "remque res_dnok res_hnok res_mailok res_mkquery res_nmkquery res_nquery res_nquerydomain res_nsearch res_nsend "
    "res_ownok res_query res_querydomain res_search res_send revoke rewinddir rexec rexec_af rexecoptions rmdir "
    "rpc_createerr rresvport rresvport_af rtime ruserok ruserok_af ruserpass sbrk scandir scandir64 scandirat "
    "scandirat64 seekdir semctl semget semop semtimedop send sendfile sendfile64 sendmmsg sendmsg sendto setaliasent "
    "setcontext setdomainname setegid seteuid setfsent setfsgid setfsuid setgid setgrent setgroups sethostent "
    "sethostid sethostname setipv4sourcefilter setitimer setlocale setlogin setlogmask setmntent setnetent "
    "setnetgrent setns setpgid setpgrp setpriority setprotoent setpwent setregid setresgid setresuid setreuid "
    "setrlimit setrlimit64 setrpcent setservent setsgent setsid setsockopt setsourcefilter setspent settimeofday "
    "setttyent setuid setusershell setutent setutxent setxattr sgetsgent sgetsgent_r sgetspent sgetspent_r shm_open "
    "shm_unlink shmat shmctl shmdt shmget shutdown sigabbrev_np sigaction sigaddset sigaltstack sigandset sigblock "
    "sigdelset sigdescr_np sigemptyset sigfillset siggetmask sighold sigignore siginterrupt sigisemptyset sigismember "
    "siglongjmp signal signalfd sigorset sigpause sigpending sigprocmask sigqueue sigrelse sigreturn sigset "
    "sigsetmask sigstack sigsuspend sigtimedwait sigvec sigwait sigwaitinfo sleep sockatmark socket socketpair splice "
    "sprofil ssignal sstk stat stat64 statfs statfs64 statvfs statvfs64 statx step stime stty svcauthdes_stats "
    "svcerr_auth svcerr_decode svcerr_noproc svcerr_noprog svcerr_progvers svcerr_systemerr svcerr_weakauth "
    "svcfd_create svcraw_create svctcp_create svcudp_bufcreate svcudp_create svcudp_enablecache svcunix_create "
    "svcunixfd_create swab swapcontext swapoff swapon swprintf swscanf symlink symlinkat sync sync_file_range syncfs "
    "sys_errlist sys_nerr sys_sigabbrev sys_siglist syscall sysconf sysctl sysinfo syslog sysv_signal tcdrain tcflow "
    "tcflush tcgetattr tcgetpgrp tcgetsid tcsendbreak tcsetattr tcsetpgrp tdelete tdestroy tee telldir textdomain "
    "tfind tgkill time timegm timelocal times timespec_get timespec_getres timezone tr_break truncate truncate64 "
    "tsearch ttyname ttyname_r ttyslot twalk twalk_r tzname tzset ualarm ulckpwdf ulimit umask umount umount2 uname "
    "ungetwc unlink unlinkat unshare updwtmp updwtmpx uselib uselocale user2netname usleep ustat utime utimensat "
    "utimes utmpname utmpxname verr verrx versionsort versionsort64 vfwprintf vfwscanf vhangup vlimit vmsplice "
    "vswprintf vswscanf vsyslog vtimes vwarn vwarnx vwprintf vwscanf wait wait3 wait4 waitid waitpid warn warnx "
    "wcpcpy wcpncpy wcrtomb wctob wctrans wctrans_l wctype wctype_l wcwidth wmempcpy wmemset wordexp wordfree wprintf "
    "write writev wscanf xdecrypt xdrmem_create xdrrec_create xdrrec_endofrecord xdrrec_eof xdrrec_skiprecord "
    "xdrstdio_create xencrypt xprt_register xprt_unregister ";

constexpr std::array<std::string_view, 23> kVariants = {"f",      "l",     "f16",    "f32",    "f32x",  "f64",   "f64x",  "f128",
                                                        "d32",    "d64",   "d128",   "_r",     "f_r",   "l_r",   "f16_r", "f32_r",
                                                        "f32x_r", "f64_r", "f64x_r", "f128_r", "d32_r", "d64_r", "d128_r"};

using Words = std::unordered_set<std::string_view>;

Words words_of(std::string_view row) {
  Words words;
  for (std::size_t at = 0; at < row.size();) {
    std::size_t end = row.find(' ', at);
    words.insert(row.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool listed(const Words& words, std::string_view name, bool variants) {
  return words.contains(name) || (variants && std::any_of(kVariants.begin(), kVariants.end(), [&](std::string_view end) {
                                    return name.ends_with(end) && words.contains(name.substr(0, name.size() - end.size()));
                                  }));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool any_char(char) { return true; }

bool is_identifier(std::string_view name) {
  auto letter = [](char c) { return is_capital(c) || is_small(c) || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || is_digit(c); });
}

// v12, i3: the names of temporaries and loop variables.
bool is_generated(std::string_view name) {
  return name.size() > 1 && (name[0] == 'v' || name[0] == 'i') && std::all_of(name.begin() + 1, name.end(), is_digit);
}

// One of the beginnings, and at least one more character, which satisfies `next`.
template <typename Next, typename... Start>
bool begins(std::string_view name, Next next, Start... start) {
  return (
      (name.starts_with(start) && name.size() > std::string_view(start).size() && next(name[std::string_view(start).size()])) ||
      ...);
}

bool is_macro_form(std::string_view name) {
  return name.size() >= 3 && std::count_if(name.begin(), name.end(), is_capital) >= 2 &&
         std::none_of(name.begin(), name.end(), is_small);
}

bool is_kept_form(std::string_view name) {
  return name.starts_with("_") || name.find("__") != std::string_view::npos || name.ends_with("_t") || is_macro_form(name) ||
         begins(
             name, [](char c) { return is_capital(c) || is_digit(c); }, "E") ||
         begins(name, any_char, "M_", "L_", "P_", "FP_", "PRI", "SCN", "omp_", "ompt_", "GOMP_", "GOACC_", "acc_", "goacc_") ||
         begins(name, is_small, "f32", "f64", "f32x", "f64x");
}

bool is_kept_for_functions(std::string_view name) {
  return begins(name, is_small, "str", "mem", "wcs", "is", "to") ||
         begins(name, any_char, "pthread_", "xdr_", "posix_", "inet_", "inet6_", "svc_", "clnt_", "aio_", "argz_", "argp_",
                "envz_", "sched_", "sem_", "mq_", "thrd_", "cnd_", "mtx_", "tss_", "ether_", "epoll_", "clock_", "timer_",
                "timerfd_", "inotify_", "fanotify_", "atomic_", "pidfd_", "pkey_", "lio_", "gai_");
}

std::optional<std::string_view> parameter_fault(std::string_view name) {
  static const Words keywords = words_of(kKeywords);
  static const Words ours = words_of(kOurs);
  static const Words platform = words_of(kPlatform);
  static const Words library = words_of(kLibrary);
  if (!is_identifier(name)) {
    return "is no name in C";
  }
  if (listed(keywords, name, false)) {
    return "is a keyword of C or C++";
  }
  if (is_generated(name)) {
    return "is what variables of the C text are called";
  }
  if (listed(ours, name, false)) {
    return "is defined by the C text itself";
  }
  if (listed(platform, name, false)) {
    return "is a macro of some compilers";
  }
  if (listed(library, name, true)) {
    return "is a name of the C library, which compilers know";
  }
  if (is_kept_form(name)) {
    return "has a form that C keeps for its macros and its own names";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> c_name_fault(std::string_view name, CNameUse use) {
  static const Words linked = words_of(kLinked);
  if (auto fault = parameter_fault(name); fault || use == CNameUse::Parameter) {
    return fault;
  }
  if (name.ends_with("_checked")) {
    return "is what the checked form of another kernel is called";
  }
  if (listed(linked, name, true)) {
    return "is a name of the C library";
  }
  if (is_kept_for_functions(name)) {
    return "has a form that C keeps for functions of its library";
  }
  return std::nullopt;
}

std::string c_name_like(std::string_view name, CNameUse use) {
  std::string plain;
  for (char c : name) {
    bool kept = is_digit(c) || is_capital(c) || is_small(c) || (c == '_' && !plain.empty() && plain.back() != '_');
    plain += kept ? std::string(1, c) : "";
  }
  std::string small = plain;
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
  for (std::string candidate : {plain, small, small + "_", "a_" + small, "my_" + small + "_kernel"}) {
    if (!c_name_fault(candidate, use)) {
      return candidate;
    }
  }
  return use == CNameUse::Function ? "kernel" : "x";
}

}  // namespace vouch
