(** Names and constants that mean in C what the printer takes them for.

    [name_ok]      an identifier that neither C, its headers, its compilers nor our texts have
                   taken, and that is not of the form of a temporary or a loop variable
    [function_name_ok]   besides, the C library has no function of that name
    [names_ok]     names of the kernel, of inputs, output, sizes and loops are such, and different
    [nesting_ok]   OpenMP's rule: no loop on threads or in lanes within a loop in lanes *)

From Coq Require Import ZArith NArith List Bool String Ascii.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Flat certify.Print.
From Vouch Require Import imp.Safety certify.CWords.
Import ListNotations.
Local Open Scope string_scope.

Definition is_digit (c : ascii) : bool :=
  let n := N_of_ascii c in N.leb 48 n && N.leb n 57.

Definition is_letter (c : ascii) : bool :=
  let n := N_of_ascii c in
  (N.leb 65 n && N.leb n 90) || (N.leb 97 n && N.leb n 122) || N.eqb n 95.

Fixpoint all_chars (p : ascii -> bool) (s : string) : bool :=
  match s with
  | EmptyString => true
  | String c rest => p c && all_chars p rest
  end.

Definition is_identifier (s : string) : bool :=
  match s with
  | EmptyString => false
  | String c rest => is_letter c && all_chars (fun d => is_letter d || is_digit d) rest
  end.

(** v12, i3: the names of temporaries and loop variables. *)
Definition is_generated (s : string) : bool :=
  match s with
  | String c (String d rest) =>
      (Ascii.eqb c "v" || Ascii.eqb c "i") && all_chars is_digit (String d rest)
  | _ => false
  end.

Definition mem_string (s : string) (l : list string) : bool := existsb (String.eqb s) l.

Fixpoint distinct (l : list string) : bool :=
  match l with
  | [] => true
  | s :: rest => negb (mem_string s rest) && distinct rest
  end.

Definition is_capital (c : ascii) : bool := let n := N_of_ascii c in N.leb 65 n && N.leb n 90.
Definition is_small (c : ascii) : bool := let n := N_of_ascii c in N.leb 97 n && N.leb n 122.

Fixpoint count_chars (p : ascii -> bool) (s : string) : nat :=
  match s with
  | EmptyString => 0
  | String c rest => (if p c then 1 else 0) + count_chars p rest
  end.

(** [s] is [start] and at least one more character, which satisfies p. *)
Fixpoint begins (p : ascii -> bool) (start s : string) : bool :=
  match start, s with
  | EmptyString, String c _ => p c
  | String c rest, String d s1 => Ascii.eqb c d && begins p rest s1
  | _, EmptyString => false
  end.

Definition ends (suffix s : string) : bool :=
  let n := (String.length s - String.length suffix)%nat in
  Nat.leb (String.length suffix) (String.length s) &&
  String.eqb (substring n (String.length suffix) s) suffix.

Fixpoint has_double_underscore (s : string) : bool :=
  match s with
  | String c ((String d _) as rest) =>
      (Ascii.eqb c "_" && Ascii.eqb d "_") || has_double_underscore rest
  | _ => false
  end.

Definition any_char (_ : ascii) : bool := true.
Definition capital_or_digit (c : ascii) : bool := is_capital c || is_digit c.

(** Forms of names that are kept for C and its systems: [_x], [a__b], [size_t], macros such as
    [HUGE_VAL] (three characters or more, two of them capitals, none small), [E2BIG], [M_PIl],
    [omp_x], [f32addf64]. *)
Definition kept_form (s : string) : bool :=
  begins any_char "_" s || String.eqb s "_" || has_double_underscore s || ends "_t" s ||
  (Nat.leb 3 (String.length s) && Nat.leb 2 (count_chars is_capital s) &&
   Nat.eqb (count_chars is_small s) 0) ||
  begins capital_or_digit "E" s ||
  existsb (fun start => begins any_char start s)
    ["M_"; "L_"; "P_"; "FP_"; "PRI"; "SCN"; "omp_"; "ompt_"; "GOMP_"; "GOACC_"; "acc_"; "goacc_"] ||
  existsb (fun start => begins is_small start s) ["f32"; "f64"; "f32x"; "f64x"].

(** Forms that are kept for functions: [string_x], [memory_x], [pthread_x]; and [x_checked],
    which stands beside the kernel x. *)
Definition kept_for_functions (s : string) : bool :=
  existsb (fun start => begins is_small start s) ["str"; "mem"; "wcs"; "is"; "to"] ||
  existsb (fun start => begins any_char start s)
    ["pthread_"; "xdr_"; "posix_"; "inet_"; "inet6_"; "svc_"; "clnt_"; "aio_"; "argz_"; "argp_";
     "envz_"; "sched_"; "sem_"; "mq_"; "thrd_"; "cnd_"; "mtx_"; "tss_"; "ether_"; "epoll_";
     "clock_"; "timer_"; "timerfd_"; "inotify_"; "fanotify_"; "atomic_"; "pidfd_"; "pkey_";
     "lio_"; "gai_"] ||
  ends "_checked" s.

Definition name_ok (s : string) : bool :=
  is_identifier s && negb (is_generated s) && negb (kept_form s) &&
  negb (listed [] s keywords) && negb (listed [] s ours) && negb (listed [] s platform) &&
  negb (listed variants s library).

Definition function_name_ok (s : string) : bool :=
  name_ok s && negb (kept_for_functions s) && negb (listed variants s linked).

(** Of loops only those that are not around each other may share a name: the parser sees to it. *)
Definition names_ok (name : string) (nm : names) : bool :=
  let loops := filter (fun s => negb (String.eqb s "")) (loop_names nm) in
  let others := (var_names nm ++ size_names nm)%list in
  let outside := (name :: c_tried name :: c_checked_name name :: others)%list in
  function_name_ok name && forallb name_ok (others ++ loops) && distinct outside &&
  forallb (fun s => negb (mem_string s outside)) loops.

Fixpoint nesting_ok (in_lanes : bool) (c : fcomm) : bool :=
  match c with
  | FSkip | FAssign _ _ _ => true
  | FSeq c1 c2 => nesting_ok in_lanes c1 && nesting_ok in_lanes c2
  | FNew _ _ c1 => nesting_ok in_lanes c1
  | FFor k _ _ c1 =>
      negb (in_lanes && concurrent k) &&
      nesting_ok (in_lanes || match k with Vec => true | _ => false end) c1
  | FWithin _ _ _ _ c1 => nesting_ok in_lanes c1
  end.
