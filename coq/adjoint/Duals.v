(** The tensors of a kernel over dual numbers: values and tangents apart. *)

From Coq Require Import Arith ZArith NArith List Bool Lia Ring_theory.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics index.Kernel.
From Vouch Require Import adjoint.Points adjoint.Entail adjoint.Rings adjoint.Slopes adjoint.Tangent.
From Vouch Require Import adjoint.Equal adjoint.Substitute adjoint.Change adjoint.Tensors adjoint.Decide adjoint.Adjoint.
Import ListNotations.

Section DUALS.
  Context (sg : nat -> nat) (K : scalars) (RING : ring_like K).
  Let laws := ring_laws K RING.
  Add Ring scalar_ring : laws.

  Definition seconds (P : list (tensor (dual K))) : list (tensor K) := map (fun T at_ => snd (T at_)) P.

  Lemma seconds_read P t at_ : read K (seconds P) t at_ = snd (read (dual K) P t at_).
  Proof using Type.
    unfold read, seconds.
    change (fun _ : list nat => cst K zero) with ((fun (T : tensor (dual K)) at_ => snd (T at_)) (fun _ => cst (dual K) zero)).
    now rewrite map_nth.
  Qed.

  Lemma as_paired P ts : length P = length ts ->
    (forall t at_, fst (read (dual K) P t at_) = read K ts t at_) ->
    forall t at_, read (dual K) P t at_ = read (dual K) (paired K ts (seconds P)) t at_.
  Proof using Type.
    intros size firsts t at_. rewrite read_paired by (unfold seconds; now rewrite map_length).
    rewrite <- firsts, seconds_read. now destruct (read (dual K) P t at_).
  Qed.

  Lemma element_fst P ts iv l : length P = length ts ->
    (forall t at_, fst (read (dual K) P t at_) = read K ts t at_) ->
    fst (element_val sg (dual K) iv P l) = element_val sg K iv ts l.
  Proof using RING.
    intros size firsts. rewrite (element_ext sg (dual K) P _ iv l (as_paired P ts size firsts)).
    rewrite (element_sum K RING sg (dual K) fst eq_refl (fun x y => eq_refl)).
    rewrite (element_sum K RING sg K (fun x => x) eq_refl (fun x y => eq_refl)).
    apply lsum_ext. intros s _. apply lsum_ext. intros w _. unfold sum_at.
    rewrite body_fst by (unfold seconds; now rewrite map_length). reflexivity.
  Qed.

  Lemma locals_fst l : forall P ts, length P = length ts ->
    (forall t at_, fst (read (dual K) P t at_) = read K ts t at_) ->
    forall t at_, fst (read (dual K) (locals_val sg (dual K) P l) t at_) = read K (locals_val sg K ts l) t at_.
  Proof using RING.
    induction l as [|s l IHl]; intros P ts size firsts; cbn [locals_val]; [assumption|].
    apply IHl; [cbn; congruence|]. intros [|t] at_; [|apply firsts]. now apply element_fst.
  Qed.
End DUALS.
