(** Names and constants that mean in C what the printer takes them for.

    [names_ok]     names of inputs, output and sizes are different identifiers, none of them
                   reserved, none of the form of a temporary or a loop variable
    [consts_ok]    every constant is a binary32 number, so that its literal is exact *)

From Coq Require Import ZArith NArith List Bool String Ascii.
From Vouch Require Import lib.Size array.Syntax imp.Flat certify.Print.
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

Definition reserved : list string :=
  ["auto"; "break"; "case"; "char"; "const"; "continue"; "default"; "do"; "double"; "else";
   "enum"; "extern"; "float"; "for"; "goto"; "if"; "inline"; "int"; "long"; "register";
   "restrict"; "return"; "short"; "signed"; "sizeof"; "static"; "struct"; "switch"; "typedef";
   "union"; "unsigned"; "void"; "volatile"; "while"; "int64_t"; "size_t"; "NULL"; "INFINITY";
   "stderr"; "free"; "abort"; "fputs"; "posix_memalign"; "new_floats"; "fmaf"; "sqrtf";
   "fabsf"; "expf"; "logf"; "tanhf"; "erff"; "sinf"; "cosf"; "floorf"; "ceilf"; "fmaxf";
   "fminf"; "powf"; "main"].

Definition mem_string (s : string) (l : list string) : bool := existsb (String.eqb s) l.

Fixpoint distinct (l : list string) : bool :=
  match l with
  | [] => true
  | s :: rest => negb (mem_string s rest) && distinct rest
  end.

Definition name_ok (s : string) : bool :=
  is_identifier s && negb (is_generated s) && negb (mem_string s reserved).

Definition names_ok (name : string) (nm : names) : bool :=
  let all := name :: var_names nm ++ size_names nm in
  forallb name_ok all && distinct all.

Definition const_ok (c : const) : bool :=
  match c with
  | Dyadic m e => Z.ltb (Z.abs m) 16777216 && Z.leb (-149) e && Z.leb e 104
  | Infinity _ => true
  end.

Fixpoint fexp_consts_ok (e : fexp) : bool :=
  match e with
  | FRead _ _ => true
  | FConst c => const_ok c
  | FOp1 _ e1 => fexp_consts_ok e1
  | FOp2 _ e1 e2 | FIf _ e1 e2 => fexp_consts_ok e1 && fexp_consts_ok e2
  | FOp3 _ e1 e2 e3 => fexp_consts_ok e1 && fexp_consts_ok e2 && fexp_consts_ok e3
  end.

Fixpoint consts_ok (c : fcomm) : bool :=
  match c with
  | FSkip => true
  | FSeq c1 c2 => consts_ok c1 && consts_ok c2
  | FAssign _ _ e => fexp_consts_ok e
  | FNew _ _ c1 | FFor _ _ _ c1 => consts_ok c1
  end.
