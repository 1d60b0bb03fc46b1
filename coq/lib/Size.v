(** Sizes: symbolic terms over size variables, and what they denote.

    [size]        the terms; constants are binary, so that 2000 * 3000 costs nothing
    [size_val]    the natural number a term denotes, given the size variables
    [fact]        a pair (a, b) of sizes, assumed to satisfy a <= b
    [facts_hold]  all assumed facts hold *)

From Coq Require Import NArith List.

Inductive size : Type :=
| SVar (v : nat)
| SConst (c : N)
| SAdd (a b : size)
| SMul (a b : size).

Definition fact : Type := size * size.

Section VALUE.
  Context (sg : nat -> nat).

  Fixpoint size_val (s : size) : nat :=
    match s with
    | SVar v => sg v
    | SConst c => N.to_nat c
    | SAdd a b => size_val a + size_val b
    | SMul a b => size_val a * size_val b
    end.

  Definition facts_hold (facts : list fact) : Prop :=
    forall a b, In (a, b) facts -> size_val a <= size_val b.
End VALUE.

Definition size_eq_dec (a b : size) : {a = b} + {a <> b}.
Proof. decide equality; [apply PeanoNat.Nat.eq_dec | apply N.eq_dec]. Defined.
