(** Substitution of index terms for index variables; and conditions that say where a point is.

    [term_at m] [cond_at m] [body_at m]   with the terms m for the variables
    [place]         of an element, at a point
    [lands box m]   the terms are inside the box
    [returns there back]   back after there is the identity *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics index.Kernel.
From Vouch Require Import adjoint.Points.
Import ListNotations.

(** The element that is read. *)
Definition place (sg : nat -> nat) (w : list nat) (s : list (iterm * size)) : list nat :=
  map (fun p => Z.to_nat (iterm_val sg w (fst p))) s.

(** ** Substitution *)

Section SUBSTITUTE.
  Context (m : list iterm).

  Fixpoint term_at (t : iterm) : iterm :=
    match t with
    | IVar i => nth i m (ICon 0)
    | ICon z => ICon z
    | ISize s => ISize s
    | IAdd a b => IAdd (term_at a) (term_at b)
    | IScale c a => IScale c (term_at a)
    | IDiv a k => IDiv (term_at a) k
    | IMod a k => IMod (term_at a) k
    end.

  Fixpoint cond_at (c : icond) : icond :=
    match c with
    | CTrue => CTrue
    | CLe a b => CLe (term_at a) (term_at b)
    | CEq a b => CEq (term_at a) (term_at b)
    | CAnd d e => CAnd (cond_at d) (cond_at e)
    | COr d e => COr (cond_at d) (cond_at e)
    | CNot d => CNot (cond_at d)
    end.

  Definition subscripts_at (s : list (iterm * size)) : list (iterm * size) :=
    map (fun p => (term_at (fst p), snd p)) s.

  Fixpoint body_at (b : ibody) : ibody :=
    match b with
    | BCon c => BCon c
    | BIndex i => BIndex (term_at i)
    | BRead t s => BRead t (subscripts_at s)
    | BGather x n t s r => BGather (body_at x) n t (subscripts_at s) (subscripts_at r)
    | BOp1 o a => BOp1 o (body_at a)
    | BOp2 o a c => BOp2 o (body_at a) (body_at c)
    | BOp3 o a c d => BOp3 o (body_at a) (body_at c) (body_at d)
    | BIf g a c => BIf (cond_at g) (body_at a) (body_at c)
    end.

  Section VALUE.
    Context (sg : nat -> nat) (w : list nat).

    Definition point : list nat := map (fun t => Z.to_nat (iterm_val sg w t)) m.

    Context (NONNEG : Forall (fun t => 0 <= iterm_val sg w t)%Z m).

    Lemma term_at_val t : iterm_val sg point t = iterm_val sg w (term_at t).
    Proof using NONNEG.
      induction t as [i|z|s|a IHa b IHb|c a IHa|a IHa k|a IHa k]; cbn; try congruence.
      unfold point. destruct (Nat.lt_ge_cases i (length m)) as [inside|outside].
      - rewrite (nth_indep _ 0 (Z.to_nat (iterm_val sg w (ICon 0)))) by now rewrite map_length.
        rewrite map_nth with (f := fun t => Z.to_nat (iterm_val sg w t)), Z2Nat.id; [reflexivity|].
        apply (proj1 (Forall_forall _ _) NONNEG), nth_In, inside.
      - rewrite !nth_overflow by now rewrite ?map_length. reflexivity.
    Qed.

    Lemma cond_at_val c : icond_val sg point c = icond_val sg w (cond_at c).
    Proof using NONNEG. induction c; cbn; rewrite ?term_at_val; congruence. Qed.

    Lemma all_inside_at s : all_inside sg point s = all_inside sg w (subscripts_at s).
    Proof using NONNEG.
      unfold all_inside, subscripts_at. induction s as [|[t n] s IHs]; cbn; [reflexivity|].
      now rewrite IHs, term_at_val.
    Qed.

    Lemma places_at s : place sg point s = place sg w (subscripts_at s).
    Proof using NONNEG.
      unfold place, subscripts_at. rewrite map_map. apply map_ext. intros [t n]. cbn. now rewrite term_at_val.
    Qed.

    Lemma body_at_val K ts b : body_val sg K point ts b = body_val sg K w ts (body_at b).
    Proof using NONNEG.
      induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa c IHc|o a IHa c IHc d IHd|g a IHa c IHc]; cbn; try congruence.
      - now rewrite term_at_val.
      - rewrite all_inside_at. fold (place sg point s). rewrite places_at. reflexivity.
      - rewrite IHx. apply gathered_ext. intros k k_lt. unfold element_at. rewrite !all_inside_at.
        change (places sg point s) with (place sg point s). change (places sg point r) with (place sg point r).
        rewrite !places_at. reflexivity.
      - now rewrite cond_at_val, IHa, IHc.
    Qed.
  End VALUE.
End SUBSTITUTE.

(** ** Conditions that say where a point is *)

Definition all (l : list icond) : icond := fold_right CAnd CTrue l.

Lemma all_val sg w l : icond_val sg w (all l) = forallb (icond_val sg w) l.
Proof. induction l as [|c l IHl]; cbn; [reflexivity|]. now rewrite <- IHl. Qed.

Definition less_than (t : iterm) (n : size) : icond := CLe (IAdd t (ICon 1)) (ISize n).
Definition within (t : iterm) (n : size) : icond := CAnd (CLe (ICon 0) t) (less_than t n).

(** The terms, innermost first, are inside the box. *)
Definition lands (box : list size) (m : list iterm) : icond :=
  all (map (fun p => within (fst p) (snd p)) (combine m (rev box))).

Definition variables (first count : nat) : list iterm := map IVar (seq first count).
Definition in_box (box : list size) : icond := lands box (variables 0 (length box)).
Definition in_tensor (s : list (iterm * size)) : icond := all (map (fun p => within (fst p) (snd p)) s).

Definition returns (there back : list iterm) : icond :=
  all (map (fun p => CEq (term_at there (fst p)) (snd p)) (combine back (variables 0 (length back)))).

Definition sizes_val (sg : nat -> nat) (box : list size) : list nat := map (size_val sg) box.

Section VALUES.
  Context (sg : nat -> nat).

  Lemma within_val w t n : icond_val sg w (within t n) = inside (iterm_val sg w t) (size_val sg n).
  Proof using Type.
    unfold within, less_than, inside. cbn. f_equal. apply eq_true_iff_eq. rewrite Z.leb_le, Z.ltb_lt. lia.
  Qed.

  Lemma in_tensor_val w s : icond_val sg w (in_tensor s) = all_inside sg w s.
  Proof using Type.
    unfold in_tensor, all_inside. rewrite all_val. induction s as [|p s IHs]; cbn [map forallb]; [reflexivity|].
    now rewrite IHs, within_val.
  Qed.

  Lemma lands_point box m w : length m = length box -> icond_val sg w (lands box m) = true ->
    Forall (fun t => 0 <= iterm_val sg w t)%Z m /\ In (point m sg w) (points (sizes_val sg box) []).
  Proof using Type.
    unfold lands. rewrite all_val. intros size landed.
    assert (rsize : length m = length (rev box)) by now rewrite rev_length.
    assert (both : Forall (fun t => 0 <= iterm_val sg w t)%Z m /\
      forall k, k < length m -> nth k (point m sg w) 0 < nth k (map (size_val sg) (rev box)) 0).
    { clear size. revert landed rsize. generalize (rev box) as ns. unfold point. induction m as [|t m IHm]; intros [|n ns]; cbn [combine map forallb length];
        intros landed rsize; try discriminate.
      - split; [constructor|]. cbn. lia.
      - apply andb_true_iff in landed as [first rest]. cbn [fst snd] in first. rewrite within_val in first.
        apply andb_true_iff in first as [low high]. apply Z.leb_le in low. apply Z.ltb_lt in high.
        destruct (IHm ns rest ltac:(lia)) as [lows highs]. split; [now constructor|].
        intros [|k] k_lt; cbn [nth]; [lia|]. apply highs. lia. }
    destruct both as [lows highs]. split; [assumption|]. apply points_at. unfold sizes_val, point in *.
    rewrite !map_length. split; [assumption|]. intros k k_lt. rewrite <- map_rev. apply highs. lia.
  Qed.

  Lemma in_box_val box w : In w (points (sizes_val sg box) []) -> icond_val sg w (in_box box) = true.
  Proof using Type.
    intros w_in. apply points_at in w_in as [size below]. unfold sizes_val in *. rewrite map_length in *.
    unfold in_box, lands. rewrite all_val, forallb_forall. intros c c_in.
    apply in_map_iff in c_in as ([t n] & <- & p_in). cbn [fst snd]. rewrite within_val.
    unfold variables in p_in. apply In_nth with (d := (IVar 0, SConst 0)) in p_in as (k & k_lt & at_k).
    rewrite combine_length, map_length, seq_length, rev_length in k_lt.
    rewrite combine_nth in at_k by now rewrite map_length, seq_length, rev_length.
    injection at_k as <- <-. rewrite map_nth, seq_nth by lia. cbn.
    specialize (below k ltac:(lia)). rewrite <- map_rev in below.
    rewrite (nth_indep (map (size_val sg) (rev box)) 0 (size_val sg (SConst 0))) in below by (rewrite map_length, rev_length; lia).
    rewrite map_nth in below. unfold inside. apply andb_true_iff. split; [apply Z.leb_le|apply Z.ltb_lt]; lia.
  Qed.

  Lemma returns_point there back w : length w = length back ->
    Forall (fun t => 0 <= iterm_val sg w t)%Z there -> 
    icond_val sg w (returns there back) = true -> point back sg (point there sg w) = w.
  Proof using Type.
    intros size lows. unfold returns, variables. rewrite all_val, forallb_forall. intros same.
    apply nth_ext with (d := 0) (d' := 0).
    - unfold point. now rewrite map_length.
    - unfold point at 1. rewrite map_length. intros k k_lt.
      specialize (same (CEq (term_at there (nth k back (ICon 0))) (IVar k))).
      unfold point at 1. rewrite (nth_indep _ 0 (Z.to_nat (iterm_val sg (point there sg w) (ICon 0)))) by now rewrite map_length.
      rewrite map_nth with (f := fun t => Z.to_nat (iterm_val sg (point there sg w) t)).
      rewrite term_at_val by assumption. cbn [icond_val] in same. apply Z.eqb_eq in same.
      + rewrite same. cbn. apply Nat2Z.id.
      + apply in_map_iff. exists (nth k back (ICon 0), IVar k). split; [reflexivity|].
        replace (nth k back (ICon 0), IVar k) with (nth k (combine back (map IVar (seq 0 (length back)))) (ICon 0, IVar 0)).
        * apply nth_In. rewrite combine_length, map_length, seq_length. lia.
        * rewrite combine_nth by now rewrite map_length, seq_length.
          rewrite map_nth, seq_nth by assumption. reflexivity.
  Qed.
End VALUES.
