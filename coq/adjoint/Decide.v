(** What the check of a gradient decides of terms, lists and shapes.

    [summand_eq_dec]   summands are the same text
    [no_repeats]       a list of numbers has none twice
    [same_sizes]       lists of sizes are equal for all sizes *)

From Coq Require Import Arith ZArith List Bool Lia.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax index.Kernel.
From Vouch Require Import adjoint.Substitute.
From Vouch Require Export array.Equality.
Import ListNotations.

Definition iterm_eq_dec (a b : iterm) : {a = b} + {a <> b}.
Proof. decide equality; auto using Nat.eq_dec, Z.eq_dec, size_eq_dec, Pos.eq_dec. Defined.
Definition icond_eq_dec (a b : icond) : {a = b} + {a <> b}.
Proof. decide equality; apply iterm_eq_dec. Defined.

Definition is_yes {P Q : Prop} (d : {P} + {Q}) : bool := if d then true else false.

Definition subscript_eq_dec (a b : iterm * size) : {a = b} + {a <> b}.
Proof. decide equality; [apply size_eq_dec|apply iterm_eq_dec]. Defined.
Definition ibody_eq_dec (a b : ibody) : {a = b} + {a <> b}.
Proof.
  decide equality; auto using const_eq_dec, uop_eq_dec, bop_eq_dec, top_eq_dec, iterm_eq_dec,
    icond_eq_dec, size_eq_dec, Nat.eq_dec; apply list_eq_dec, subscript_eq_dec.
Defined.
Definition summand_eq_dec (a b : summand) : {a = b} + {a <> b}.
Proof. decide equality; auto using ibody_eq_dec, icond_eq_dec. apply list_eq_dec, size_eq_dec. Defined.

Definition among (f : nat) (l : list nat) : bool := existsb (Nat.eqb f) l.

Lemma among_in f l : among f l = true <-> In f l.
Proof.
  unfold among. rewrite existsb_exists. split.
  - intros (a & a_in & ->%Nat.eqb_eq). exact a_in.
  - intros f_in. exists f. split; [assumption|apply Nat.eqb_refl].
Qed.

Fixpoint no_repeats (l : list nat) : bool :=
  match l with
  | [] => true
  | a :: r => negb (among a r) && no_repeats r
  end.

Lemma no_repeats_sound l : no_repeats l = true -> NoDup l.
Proof.
  induction l as [|a l IHl]; cbn; [constructor|]. intros checked.
  apply andb_true_iff in checked as [fresh rest]. constructor; [|auto]. intros a_in.
  apply among_in in a_in. now rewrite a_in in fresh.
Qed.

Fixpoint axes (d : ty) : list size :=
  match d with
  | TAry n e => n :: axes e
  | _ => []
  end.

Fixpoint same_sizes (a b : list size) : bool :=
  match a, b with
  | [], [] => true
  | n :: a1, m :: b1 => size_eqb n m && same_sizes a1 b1
  | _, _ => false
  end.

Lemma same_sizes_sound sg a : forall b, same_sizes a b = true -> sizes_val sg a = sizes_val sg b.
Proof.
  unfold sizes_val. induction a as [|n a IHa]; intros [|m b]; cbn; try discriminate; [reflexivity|].
  intros same. apply andb_true_iff in same as [first rest].
  now rewrite (size_eqb_sound sg _ _ first), (IHa _ rest).
Qed.
