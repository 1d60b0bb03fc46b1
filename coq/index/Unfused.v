(** Where [Fma] is a product and a sum, rounding takes numbers of [fusing K] to those of K, operation
    by operation; so a kernel whose products are fused has the kernel's values.

    [rounded_body] … [unfused_ikernel]   of each part of a kernel, up to the whole *)

From Coq Require Import Arith List.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import index.Kernel index.Fuse.
Import ListNotations.

Section ROUNDED.
  Context (sg : nat -> nat) (K : scalars) (LAW : unfused K).

  Notation F := (fusing K).

  Definition rounded_tensors (ts : list (tensor F)) (us : list (tensor K)) : Prop :=
    forall t indices, round (read F ts t indices) = read K us t indices.

  Lemma rounded_op2 o (a b : num F) : round (op2 F o a b) = op2 K o (round a) (round b).
  Proof using LAW. destruct o; try reflexivity. destruct b as [y|x y]; [reflexivity | apply LAW]. Qed.

  Lemma rounded_gathered n x (f : nat -> num F) (g : nat -> num K) :
    (forall k, round (f k) = g k) -> round (gathered F n x f) = gathered K n (round x) g.
  Proof using.
    intros same. unfold gathered. induction n as [|n IHn]; [reflexivity|].
    cbn [iterate]. rewrite <- IHn, <- same. reflexivity.
  Qed.

  Lemma rounded_element iv ts us t before after k : rounded_tensors ts us ->
    round (element_at sg F iv ts t before after k) = element_at sg K iv us t before after k.
  Proof using.
    intros same. unfold element_at.
    destruct (all_inside sg iv before && all_inside sg iv after)%bool; [apply same | reflexivity].
  Qed.

  Lemma rounded_body iv ts us b : rounded_tensors ts us ->
    round (body_val sg F iv ts b) = body_val sg K iv us b.
  Proof using LAW.
    intros same.
    induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa c IHc|o a IHa c IHc d IHd|g a IHa c IHc];
      cbn [body_val].
    - reflexivity.
    - reflexivity.
    - destruct (all_inside sg iv s); [apply same | reflexivity].
    - rewrite <- IHx. apply rounded_gathered. intros k. apply rounded_element, same.
    - rewrite <- IHa. reflexivity.
    - rewrite <- IHa, <- IHc. apply rounded_op2.
    - rewrite <- IHa, <- IHc, <- IHd. reflexivity.
    - destruct (icond_val sg iv g); [exact IHa | exact IHc].
  Qed.

  Lemma rounded_fold c b ts us : rounded_tensors ts us -> forall loops iv a1 a2, round a1 = a2 ->
    round (fold_val sg F loops c b iv ts a1) = fold_val sg K loops c b iv us a2.
  Proof using LAW.
    intros same loops. induction loops as [|n inner IHinner]; intros iv a1 a2 start; cbn [fold_val].
    - destruct (icond_val sg iv c); [|exact start].
      rewrite rounded_op2, (rounded_body iv ts us b same), start. reflexivity.
    - induction (size_val sg n) as [|m IHm]; [exact start|].
      cbn [iterate]. apply IHinner, IHm.
  Qed.

  Lemma rounded_summand iv ts us s : rounded_tensors ts us ->
    round (summand_val sg F iv ts s) = summand_val sg K iv us s.
  Proof using LAW.
    intros same. unfold summand_val. destruct (su_loops s) as [|n inner].
    - destruct (icond_val sg iv (su_cond s)); [apply rounded_body, same | reflexivity].
    - apply rounded_fold; [exact same | reflexivity].
  Qed.

  Lemma rounded_statement ts us s indices : rounded_tensors ts us ->
    round (statement_val sg F ts s indices) = statement_val sg K us s indices.
  Proof using LAW.
    intros same. unfold statement_val, element_val. destruct (st_summands s) as [|first more]; [reflexivity|].
    pose proof (rounded_summand (rev indices) ts us first same) as start. revert start.
    generalize (summand_val sg F (rev indices) ts first) as a1.
    generalize (summand_val sg K (rev indices) us first) as a2.
    induction more as [|r more IHmore]; intros a2 a1 start; cbn [fold_left]; [exact start|].
    apply IHmore. rewrite rounded_op2, (rounded_summand _ ts us r same), start. reflexivity.
  Qed.

  Lemma rounded_locals l : forall ts us, rounded_tensors ts us ->
    rounded_tensors (locals_val sg F ts l) (locals_val sg K us l).
  Proof using LAW.
    induction l as [|s more IHl]; intros ts us same; [exact same|]. cbn [locals_val]. apply IHl.
    intros [|t] indices; [apply rounded_statement, same | apply same].
  Qed.

  Lemma rounded_inputs us : rounded_tensors (map (as_rounded K) us) us.
  Proof using.
    induction us as [|u us IHus]; intros [|t] indices; try reflexivity. apply IHus.
  Qed.

  (** Of inputs that have the same elements. *)
  Theorem unfused_ikernel ts us k indices : (forall t i, read K ts t i = read K us t i) ->
    round (ikernel_val sg F (map (as_rounded K) ts) k indices) = ikernel_val sg K us k indices.
  Proof using LAW.
    intros same. apply rounded_statement, rounded_locals.
    intros t i. rewrite rounded_inputs. apply same.
  Qed.
End ROUNDED.
