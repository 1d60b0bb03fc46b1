(** Sizes: symbolic terms over size variables, and what they denote.

    [size]        the terms; constants are binary, so that 2000 * 3000 costs nothing
    [part]        of a size variable: what full blocks of a number leave, so that tiles have sizes
    [size_val]    the natural number a term denotes, given the size variables
    [fact]        a pair (a, b) of sizes, assumed to satisfy a <= b
    [facts_hold]  all assumed facts hold *)

From Coq Require Import Arith NArith PArith List Lia.

(** Of x things: [Quot d], how many full blocks of d there are; [Rem d], how many are left;
    [Digit d c], how many blocks of d are left by full blocks of c * d; [Started d], one where
    something is left, else none. *)
Inductive part : Type :=
| Quot (d : positive)
| Rem (d : positive)
| Digit (d c : positive)
| Started (d : positive).

Inductive size : Type :=
| SVar (v : nat)
| SConst (c : N)
| SAdd (a b : size)
| SMul (a b : size)
| SPart (p : part) (v : nat).

Definition fact : Type := size * size.

Definition part_val (p : part) (x : nat) : nat :=
  match p with
  | Quot d => x / Pos.to_nat d
  | Rem d => x mod Pos.to_nat d
  | Digit d c => x / Pos.to_nat d mod Pos.to_nat c
  | Started d => (x mod Pos.to_nat d + (Pos.to_nat d - 1)) / Pos.to_nat d
  end.

Section VALUE.
  Context (sg : nat -> nat).

  Fixpoint size_val (s : size) : nat :=
    match s with
    | SVar v => sg v
    | SConst c => N.to_nat c
    | SAdd a b => size_val a + size_val b
    | SMul a b => size_val a * size_val b
    | SPart p v => part_val p (sg v)
    end.

  Definition facts_hold (facts : list fact) : Prop :=
    forall a b, In (a, b) facts -> size_val a <= size_val b.
End VALUE.

Definition part_eq_dec (p q : part) : {p = q} + {p <> q}.
Proof. decide equality; apply Pos.eq_dec. Defined.

Definition size_eq_dec (a b : size) : {a = b} + {a <> b}.
Proof. decide equality; first [apply PeanoNat.Nat.eq_dec | apply N.eq_dec | apply part_eq_dec]. Defined.

Lemma part_le p x : part_val p x <= x.
Proof.
  assert (FEWER : forall w, 0 < w -> x / w <= x) 
    by (intros w w_pos; apply Nat.div_le_upper_bound; [lia | destruct w; cbn; lia]).
  destruct p as [d|d|d c|d]; cbn [part_val];
    pose proof (Pos2Nat.is_pos d) as d_pos; revert d_pos; generalize (Pos.to_nat d); intros w d_pos.
  - apply FEWER, d_pos.
  - apply Nat.mod_le. lia.
  - pose proof (Pos2Nat.is_pos c). apply (Nat.le_trans _ (x / w)); [apply Nat.mod_le; lia | apply FEWER, d_pos].
  - pose proof (Nat.mod_le x w ltac:(lia)). apply (Nat.le_trans _ (x mod w)); [|assumption].
    destruct (x mod w) as [|r]; [rewrite Nat.div_small; lia|].
    apply Nat.div_le_upper_bound; [lia|]. destruct w as [|w]; [lia|]. cbn. nia.
Qed.
