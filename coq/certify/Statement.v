(** What a kernel computes, as a term that reads like the printed statement.

    [statement]    scalar terms: cells of inputs, folds of scalars, conditions, named values
    [statement_val]   what they denote; it computes to the statement that people read

    A statement stands at a depth d: index variables, accumulators and named values are
    numbered from outside, the next one bound is number d. A [world] has their values. *)

From Coq Require Import Arith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Flat.
Import ListNotations.

Inductive statement : Type :=
| RInput (v : nat) (address : ixe)
| RScalar (l : nat)
| RValue (l : nat) (indices : list ixe)
| RConst (c : const)
| ROp1 (o : uop) (r : statement)
| ROp2 (o : bop) (r s : statement)
| ROp3 (o : top) (r s t : statement)
| RPad (lo i j hi : ixe) (inside : statement) (c : const)   (* inside, if lo <= i, j < hi *)
| RIf (g : guard) (r s : statement)
| RFold (n : ixe) (start step : statement)
| RLet (k : nat) (value body : statement)                   (* value has k indices *)
| RIndex (i : ixe).

Record world (K : scalars) : Type := {
  w_index : nat -> nat;
  w_scalar : nat -> num K;
  w_value : nat -> list nat -> num K
}.

Arguments w_index {K} w _.
Arguments w_scalar {K} w _.
Arguments w_value {K} w _ _.

Definition with_step {K} (w : world K) (d k : nat) (s : num K) : world K := {|
  w_index := fun l => if Nat.eqb l d then k else w_index w l;
  w_scalar := fun l => if Nat.eqb l d then s else w_scalar w l;
  w_value := w_value w |}.

Definition with_indices {K} (w : world K) (d : nat) (i : list nat) : world K := {|
  w_index := fun l => if Nat.ltb l d then w_index w l else nth (l - d) i 0;
  w_scalar := w_scalar w;
  w_value := w_value w |}.

Definition with_value {K} (w : world K) (d : nat) (f : list nat -> num K) : world K := {|
  w_index := w_index w;
  w_scalar := w_scalar w;
  w_value := fun l => if Nat.eqb l d then f else w_value w l |}.

Section VALUE.
  Context (sg : nat -> nat) (K : scalars) (m : mem K).

  Fixpoint statement_val (d : nat) (w : world K) (r : statement) : num K :=
    match r with
    | RInput v a => m v (ixe_val sg (w_index w) a)
    | RScalar l => w_scalar w l
    | RValue l i => w_value w l (map (ixe_val sg (w_index w)) i)
    | RConst c => cst K c
    | ROp1 o a => op1 K o (statement_val d w a)
    | ROp2 o a b => op2 K o (statement_val d w a) (statement_val d w b)
    | ROp3 o a b c => op3 K o (statement_val d w a) (statement_val d w b) (statement_val d w c)
    | RPad lo i j hi a c =>
        if (ixe_val sg (w_index w) lo <=? ixe_val sg (w_index w) i) &&
           (ixe_val sg (w_index w) j <? ixe_val sg (w_index w) hi)
        then statement_val d w a else cst K c
    | RIf g a b =>
        if guard_val sg (w_index w) g then statement_val d w a else statement_val d w b
    | RFold n start step =>
        iterate (ixe_val sg (w_index w) n)
          (fun k s => statement_val (S d) (with_step w d k s) step) (statement_val d w start)
    | RLet k value body =>
        statement_val (S d)
          (with_value w d (fun i => statement_val (d + k) (with_indices w d i) value)) body
    | RIndex i => position K (ixe_val sg (w_index w) i)
    end.
End VALUE.
