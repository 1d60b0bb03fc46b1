(** Reads at an index that is data, in flat programs.

    There is no command for it: it is a loop over the axis, in which the one iteration that the
    data names stores. The parser reads this text as that loop,
<<
      { int64_t i = from; if (0 <= i && i < n) place = value; }
>>
    and [gathering_means] says, over all scalars that tell positions apart as integers do, that
    the loop does what the text says: nothing, or the one assignment.

    [gather]        such a loop; [gathering] as a command, [gather_of] from one
    [gather_ok]     what the index comes from does not change in the loop
    [tells_positions]  what is asked of the scalars; [wrapped_tells_positions] *)

From Coq Require Import Arith ZArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.IndexCheck array.Wrapped.
From Vouch Require Import imp.Syntax imp.Semantics imp.Flat imp.ThreadsProof.
Import ListNotations.

Record gather : Type := {
  ga_index : nat;
  ga_count : size;
  ga_var : nat;
  ga_at : option ixe;
  ga_from : fexp;
  ga_value : fexp
}.

Definition gathering (p : gather) : fcomm :=
  FFor Seq (ga_index p) (ga_count p)
    (FAssign (ga_var p) (ga_at p)
      (FOp3 Sel (FOp2 Equal (ga_from p) (FIndex (XVar (ga_index p)))) (ga_value p)
        (FRead (ga_var p) (ga_at p)))).

(** Loop variable i does not occur. *)
Fixpoint without (i : nat) (e : ixe) : bool :=
  match e with
  | XVar j => negb (Nat.eqb j i)
  | XSize _ => true
  | XAdd a b | XSub a b | XMul a b | XDiv a b | XMod a b => without i a && without i b
  end.

Fixpoint guard_without (i : nat) (g : guard) : bool :=
  match g with
  | GLess a b | GEqual a b => without i a && without i b
  | GAnd g1 g2 | GOr g1 g2 => guard_without i g1 && guard_without i g2
  | GNot g1 => guard_without i g1
  end.

Definition address_without (i : nat) (a : option ixe) : bool :=
  match a with None => true | Some e => without i e end.

(** Neither loop variable i nor variable v occurs. *)
Fixpoint fexp_without (i v : nat) (e : fexp) : bool :=
  match e with
  | FRead w a => negb (Nat.eqb w v) && address_without i a
  | FConst _ => true
  | FIndex a => without i a
  | FOp1 _ e1 => fexp_without i v e1
  | FOp2 _ e1 e2 => fexp_without i v e1 && fexp_without i v e2
  | FOp3 _ e1 e2 e3 => fexp_without i v e1 && fexp_without i v e2 && fexp_without i v e3
  | FIf g e1 e2 => guard_without i g && fexp_without i v e1 && fexp_without i v e2
  end.

Definition gather_ok (p : gather) : bool :=
  address_without (ga_index p) (ga_at p) && fexp_without (ga_index p) (ga_var p) (ga_from p).

Definition same_address (a b : option ixe) : bool :=
  match a, b with
  | None, None => true
  | Some x, Some y => if ixe_eq_dec x y then true else false
  | _, _ => false
  end.

Definition gather_of (c : fcomm) : option gather :=
  match c with
  | FFor Seq i n (FAssign v a (FOp3 Sel (FOp2 Equal x (FIndex (XVar j))) e (FRead w b))) =>
      let p := {| ga_index := i; ga_count := n; ga_var := v; ga_at := a; ga_from := x; ga_value := e |} in
      if Nat.eqb j i && Nat.eqb w v && same_address b a && gather_ok p then Some p else None
  | _ => None
  end.

Lemma gather_of_is c p : gather_of c = Some p -> c = gathering p /\ gather_ok p = true.
Proof.
  destruct c as [| | | |[] i n c|]; try discriminate. destruct c as [| |v a e| | |]; try discriminate.
  destruct e as [| | | | |[] e1 e2 e3|]; try discriminate.
  destruct e1 as [| | | |[] x y| |]; try discriminate.
  destruct y as [| |[j| | | | | |]| | | |]; try discriminate.
  destruct e3 as [w b| | | | | |]; try discriminate. cbn [gather_of].
  destruct (Nat.eqb_spec j i) as [->|]; [|discriminate].
  destruct (Nat.eqb_spec w v) as [->|]; [|discriminate]. cbn [andb].
  destruct (same_address b a) eqn:same; [|discriminate]. cbn [andb].
  destruct (gather_ok _) eqn:ok; [|discriminate]. injection 1 as <-. split; [|exact ok].
  unfold gathering. cbn. repeat f_equal.
  destruct b as [x1|], a as [y1|]; try discriminate; [|reflexivity].
  cbn in same. destruct (ixe_eq_dec x1 y1) as [->|]; [reflexivity | discriminate].
Qed.

(** [held x] is the integer that x is. *)
Definition tells_positions (K : scalars) (n : nat) (held : num K -> Z) : Prop :=
  forall x k a b, k < n ->
  op3 K Sel (op2 K Equal x (position K k)) a b = if Z.eqb (held x) (Z.of_nat k) then a else b.

Section MEANING.
  Context (sg : nat -> nat).

  Lemma without_val i j ie e : without i e = true -> ixe_val sg (bind ie i j) e = ixe_val sg ie e.
  Proof.
    induction e as [l|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb]; cbn [without ixe_val];
      try (intros both; apply andb_true_iff in both as [in_a in_b]; rewrite IHa, IHb by assumption; reflexivity).
    - unfold bind. destruct (Nat.eqb_spec l i); [discriminate | reflexivity].
    - reflexivity.
  Qed.

  Lemma guard_without_val i j ie g : guard_without i g = true ->
    guard_val sg (bind ie i j) g = guard_val sg ie g.
  Proof.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; cbn [guard_without guard_val];
      rewrite ?andb_true_iff.
    - intros [in_a in_b]. rewrite !without_val by assumption. reflexivity.
    - intros [in_a in_b]. rewrite !without_val by assumption. reflexivity.
    - intros [in_1 in_2]. rewrite IH1, IH2 by assumption. reflexivity.
    - intros [in_1 in_2]. rewrite IH1, IH2 by assumption. reflexivity.
    - intros in_1. rewrite IH1 by assumption. reflexivity.
  Qed.

  Lemma address_without_val i j ie a : address_without i a = true ->
    address sg (bind ie i j) a = address sg ie a.
  Proof. destruct a as [e|]; [apply without_val | reflexivity]. Qed.

  Context (K : scalars) (junk : nat -> nat -> num K).

  Lemma feval_without i v j ie (m m1 : mem K) e : fexp_without i v e = true ->
    (forall w a, w <> v -> m w a = m1 w a) -> feval sg K (bind ie i j) m e = feval sg K ie m1 e.
  Proof.
    intros no same. revert no.
    induction e as [w a|c|a|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      cbn [fexp_without feval]; rewrite ?andb_true_iff.
    - intros [other in_a]. rewrite address_without_val by exact in_a. apply same.
      destruct (Nat.eqb_spec w v); [discriminate | assumption].
    - reflexivity.
    - intros in_a. rewrite without_val by exact in_a. reflexivity.
    - intros in_1. rewrite IH1 by exact in_1. reflexivity.
    - intros [in_1 in_2]. rewrite IH1, IH2 by assumption. reflexivity.
    - intros [[in_1 in_2] in_3]. rewrite IH1, IH2, IH3 by assumption. reflexivity.
    - intros [[in_g in_1] in_2]. rewrite guard_without_val, IH1, IH2 by assumption. reflexivity.
  Qed.

  Lemma feval_same_mem ie (m m1 : mem K) e : same_mem K m m1 -> feval sg K ie m e = feval sg K ie m1 e.
  Proof.
    intros same.
    induction e as [w a|c|a|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      cbn [feval]; rewrite ?IH1, ?IH2, ?IH3; auto.
  Qed.

  Lemma poke_itself (m : mem K) v a w b : poke K m v a (m v a) w b = m w b.
  Proof.
    unfold poke. destruct (Nat.eqb_spec w v) as [->|]; [|reflexivity].
    destruct (Nat.eqb_spec b a) as [->|]; reflexivity.
  Qed.

  Theorem gathering_means p held ie (m : mem K) :
    gather_ok p = true -> tells_positions K (size_val sg (ga_count p)) held ->
    let z := held (feval sg K ie m (ga_from p)) in
    same_mem K (fexec sg K junk (gathering p) ie m)
      (if (0 <=? z)%Z && (z <? Z.of_nat (size_val sg (ga_count p)))%Z
       then fexec sg K junk (FAssign (ga_var p) (ga_at p) (ga_value p))
              (bind ie (ga_index p) (Z.to_nat z)) m
       else m).
  Proof.
    destruct p as [i n v a x e]. unfold gather_ok, gathering.
    cbn [ga_index ga_count ga_var ga_at ga_from ga_value]. intros ok TELLS.
    set (z := held (feval sg K ie m x)). apply andb_true_iff in ok as [ok_a ok_x].
    assert (BELOW : forall r, r <= size_val sg n ->
      same_mem K
        (iterate r (fun j => fexec sg K junk
           (FAssign v a (FOp3 Sel (FOp2 Equal x (FIndex (XVar i))) e (FRead v a))) (bind ie i j)) m)
        (if (0 <=? z)%Z && (z <? Z.of_nat r)%Z
         then fexec sg K junk (FAssign v a e) (bind ie i (Z.to_nat z)) m else m)).
    { intros r. induction r as [|r IHr]; intros r_le.
      - replace (z <? Z.of_nat 0)%Z with (negb (0 <=? z)%Z)
          by (destruct (Z.leb_spec 0 z), (Z.ltb_spec z (Z.of_nat 0)); cbn; lia).
        destruct (0 <=? z)%Z; intros w b; reflexivity.
      - specialize (IHr ltac:(lia)). cbn [iterate fexec feval]. set (M := iterate r _ m) in *.
        rewrite address_without_val by exact ok_a.
        replace (ixe_val sg (bind ie i r) (XVar i)) with r
          by (cbn [ixe_val]; unfold bind; rewrite Nat.eqb_refl; reflexivity).
        assert (HELD : feval sg K (bind ie i r) M x = feval sg K ie m x).
        { apply (feval_without i v r ie M m x ok_x). intros w b other. rewrite (IHr w b).
          destruct (_ && _)%bool; [|reflexivity]. cbn [fexec]. apply poke_other. congruence. }
        rewrite HELD, TELLS by lia. fold z.
        destruct (Z.eqb_spec z (Z.of_nat r)) as [here|elsewhere].
        + replace ((0 <=? z)%Z && (z <? Z.of_nat (S r))%Z) with true
            by (symmetry; apply andb_true_iff; rewrite Z.leb_le, Z.ltb_lt; lia).
          replace ((0 <=? z)%Z && (z <? Z.of_nat r)%Z) with false in IHr
            by (symmetry; apply andb_false_iff; rewrite Z.leb_gt, Z.ltb_ge; lia).
          replace (Z.to_nat z) with r by lia. cbn [fexec]. rewrite address_without_val by exact ok_a.
          rewrite (feval_same_mem _ M m e IHr). apply poke_same_mem, IHr.
        + intros w b. rewrite poke_itself, (IHr w b).
          replace (z <? Z.of_nat (S r))%Z with (z <? Z.of_nat r)%Z
            by (destruct (Z.ltb_spec z (Z.of_nat r)), (Z.ltb_spec z (Z.of_nat (S r))); lia).
          reflexivity. }
    exact (BELOW (size_val sg n) (le_n _)).
  Qed.
End MEANING.

(** Integers of 64 bits do, on axes that have so many positions. *)
Lemma wrapped_tells_positions n : (Z.of_nat n <= 2 ^ 63)%Z -> tells_positions (wrapped 64) n (fun x => x).
Proof.
  intros small x k a b k_lt. unfold position, wrapped. cbn [op3 op2 cst].
  replace (wrap 64 (Z.of_nat k)) with (Z.of_nat k).
  - destruct (x =? Z.of_nat k)%Z; reflexivity.
  - unfold wrap. change (half 64) with (2 ^ 63)%Z. rewrite Z.mod_small; lia.
Qed.
