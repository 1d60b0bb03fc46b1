(** What is certified of a gradient, together: its C text computes the gradient kernel, over any
    scalars, and where these are a commutative ring that kernel is the adjoint of the forward
    kernel's tangent. So it is of the cells that the C text leaves, under every interleaving. *)

From Coq Require Import Arith ZArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Flat imp.Threads lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Parse certify.Certificate.
From Vouch Require Import index.Kernel index.Lower index.LowerProof.
From Vouch Require Import adjoint.Points adjoint.Rings adjoint.Tangent adjoint.Substitute.
From Vouch Require Import adjoint.Tensors adjoint.Decide adjoint.Adjoint adjoint.AdjointProof.
Import ListNotations.

Lemma locals_ext sg K l : forall ts G, (forall t at_, read K ts t at_ = read K G t at_) ->
  forall t at_, read K (locals_val sg K ts l) t at_ = read K (locals_val sg K G l) t at_.
Proof.
  induction l as [|s l IHl]; intros ts G same; cbn [locals_val]; [assumption|].
  apply IHl. intros [|t] at_; [|apply same]. now apply element_ext.
Qed.

Lemma ikernel_ext sg K ts G k : (forall t at_, read K ts t at_ = read K G t at_) ->
  forall at_, ikernel_val sg K ts k at_ = ikernel_val sg K G k at_.
Proof. intros same at_. apply element_ext. now apply locals_ext. Qed.

Lemma below_inb sg extents : forall indices, below sg indices extents ->
  inb (ty_val sg (array_ty extents)) (map Ix indices).
Proof.
  unfold below, in_bounds. induction extents as [|n extents IHextents]; cbn; intros indices inside.
  - inversion inside. exact I.
  - inversion inside as [|i m u r i_lt rest]; subst. split; [exact i_lt|]. now apply IHextents.
Qed.

Section COMPOSED.
  Context (k g : ikernel) (ce : witness) (c : source) (text : String.string).
  Context (GRADIENT : is_gradient k g ce = true) (COMPUTES : ComputesIndex g c) (CERTIFIED : Certified c text).

  (** In the memory m the inputs of the C text are the forward kernel's and the cotangents. *)
  Definition holds_inputs sg K (m : mem K) (xs : list (tensor K)) (dY : tensor K)
      (dL : nat -> tensor K) : Prop :=
    forall t at_, read K (map (tensor_of K) (input_values sg K (kernel_inputs c) m)) t at_ =
                  read K (gradient_inputs k g ce K xs dY dL) t at_.

  Theorem gradient_text : exists f, parse text = Some f /\
    forall sg, facts_hold sg (ik_facts k) -> facts_hold sg (ik_facts g) ->
    forall K, ring_like K ->
    forall junk ie m t, behaves sg K junk (file_body f) ie t ->
    forall xs dY dL v, length xs = length (ik_inputs k) -> holds_inputs sg K m xs dY dL ->
    let D := ty_val sg (kernel_output c) in
    let dX := fun at_ => run K t m (length (kernel_inputs c)) (place_of D (map Ix at_)) in
    inner_outputs k ce K sg xs (directions k ce K v) dY dL =
    inner K (sizes_val sg (target_axes k ce)) dX v.
  Proof using GRADIENT COMPUTES CERTIFIED.
    destruct (certified_index g c text CERTIFIED COMPUTES) as (f & parsed & VALUES).
    destruct COMPUTES as (facts_are & _ & output_is & _).
    exists f. split; [exact parsed|]. intros sg FACTS FACTS_G K RING junk ie m t RUNS xs dY dL v size HOLDS D dX.
    rewrite (gradient_sound k g ce GRADIENT sg FACTS K RING xs dY dL v size).
    unfold inner. apply lsum_ext. intros i i_in. f_equal.
    rewrite <- facts_are in FACTS_G. unfold dX, D.
    assert (inside : below sg (rev i) (st_extents (ik_output g))).
    { apply andb_true_iff in GRADIENT as [shape _]. unfold below, in_bounds.
      pose proof (same_sizes_sound sg _ _ shape) as same. unfold sizes_val in *. rewrite same.
      apply points_in in i_in as (u & -> & i_below). now rewrite app_nil_r, rev_involutive. }
    rewrite (VALUES sg FACTS_G K junk ie m t RUNS (rev i) inside).
    - symmetry. now apply ikernel_ext.
    - rewrite output_is. now apply below_inb.
  Qed.
End COMPOSED.
