(** Simpler expressions and commands, where the bounds of loop variables allow it.

    [simple_exp]   expressions: simple index terms, and no condition that is decided
    [simplify]     commands; what is assigned to itself is left out, and the loops around it
    [simplified]   a whole program
    That the meaning stays is in lower/SimplifyProof.v. *)

From Coq Require Import NArith List Bool.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax imp.Syntax imp.Flat.
From Vouch Require Import lower.Simple lower.Conditions.
Import ListNotations.

Section EXPRESSIONS.
  Context (bd : bounds) (around : list nat).

  Fixpoint simple_exp (told : list poly) (e : fexp) : fexp :=
    match e with
    | FRead v i => FRead v (option_map (simple bd) i)
    | FConst c => FConst c
    | FIndex i => FIndex (simple bd i)
    | FOp1 o e1 => FOp1 o (simple_exp told e1)
    | FOp2 o e1 e2 => FOp2 o (simple_exp told e1) (simple_exp told e2)
    | FOp3 o e1 e2 e3 => FOp3 o (simple_exp told e1) (simple_exp told e2) (simple_exp told e3)
    | FIf g e1 e2 =>
        match shorten bd around told g with
        | Always => simple_exp told e1
        | Never => simple_exp told e2
        | Where h =>
            FIf h (simple_exp (learn bd true h ++ told) e1)
              (simple_exp (learn bd false h ++ told) e2)
        end
    end.
End EXPRESSIONS.

(** Of an element to itself: nothing. *)
Definition assign (v : nat) (i : option ixe) (e : fexp) : fcomm :=
  match e, i with
  | FRead w None, None => if Nat.eqb w v then FSkip else FAssign v i e
  | FRead w (Some b), Some a =>
      if Nat.eqb w v && same_index b a then FSkip else FAssign v i e
  | _, _ => FAssign v i e
  end.

Definition sequence (c1 c2 : fcomm) : fcomm :=
  match c1, c2 with
  | FSkip, _ => c2
  | _, FSkip => c1
  | _, _ => FSeq c1 c2
  end.

Definition new (v : nat) (n : option size) (c : fcomm) : fcomm :=
  match c with FSkip => FSkip | _ => FNew v n c end.

Definition loop (k : kind) (i : nat) (n : size) (c : fcomm) : fcomm :=
  match c with FSkip => FSkip | _ => FFor k i n c end.

(** [around]: the variables of the loops around the command. *)
Fixpoint simplify (bd : bounds) (around : list nat) (c : fcomm) : fcomm :=
  match c with
  | FSkip => FSkip
  | FSeq c1 c2 => sequence (simplify bd around c1) (simplify bd around c2)
  | FAssign v i e => assign v (option_map (simple bd) i) (simple_exp bd around [] e)
  | FNew v n c1 => new v (option_map fold_size n) (simplify bd around c1)
  | FFor k i n c1 =>
      let n := fold_size n in loop k i n (simplify (set_bounds bd i n) (i :: around) c1)
  | FWithin _ _ _ _ _ => c
  end.

Definition simplified (c : fcomm) : fcomm := simplify no_bounds [] c.
