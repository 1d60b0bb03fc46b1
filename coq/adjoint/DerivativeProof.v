(** The gradient of a kernel with locals, over the real numbers.

    [regular_locals]      where the elements of each tensor are regular: those of a local where it is
                          and what it reads
    [regular_at]          no corner or pole is met in the computation of an element of the output, and no data
                          that finds an element moves
    [kernel_derivative]   there the tangent is the derivative
    [gradient_derivative] and a checked gradient is that of the sum of cotangents times outputs *)

From Coq Require Import Reals ZArith List Bool Lia Lra.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.RealNumbers index.Kernel.
From Vouch Require Import adjoint.Points adjoint.Rings adjoint.Slopes adjoint.Tangent adjoint.Substitute.
From Vouch Require Import adjoint.Change adjoint.Tensors adjoint.Decide adjoint.Adjoint adjoint.UsesProof.
From Vouch Require Import adjoint.Duals adjoint.AdjointProof adjoint.Composed adjoint.Reals.
From Vouch Require Import adjoint.SlopesProof adjoint.Derivative.
Import ListNotations.
Local Open Scope R_scope.

(** As one that moves, or as one that is still. *)
Definition allows (oks : list (bool -> list nat -> Prop)) (t : nat) : bool -> list nat -> Prop :=
  nth t oks (fun _ _ => True).

Lemma body_ext sg K ts G w b : (forall t at_, read K ts t at_ = read K G t at_) ->
  body_val sg K w ts b = body_val sg K w G b.
Proof. intros same. rewrite (body_rename_val (fun t => t) sg K ts G same). now rewrite body_rename_id. Qed.

Section LOCALS.
  Context (erf : R -> R) (sg : nat -> nat).
  Notation K := (reals erf).

  Lemma regular_ext w ts G oks oks' b :
    (forall t at_, read K ts t at_ = read K G t at_) ->
    (forall t still at_, allows oks t still at_ -> allows oks' t still at_) ->
    forall still, regular erf sg still w ts oks b -> regular erf sg still w G oks' b.
  Proof using Type.
    unfold allows. intros same more.
    induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa b IHb|o a IHa b IHb c IHc|g a IHa b IHb]; cbn [regular]; intros still;
      rewrite ?(body_ext sg K ts G w _ same); try tauto.
    - intros ok inside. now apply more, ok.
    - intros [ok_x found]. split; [auto|]. intros k k_lt is_k inside. apply more, found; assumption.
    - intros [inner ok]. auto.
    - intros [(ok_a & ok_b & ok)|(compares & ok_a & ok_b & differs)]; [left|right]; auto.
    - destruct o; [intros (ok_a & ok_b & ok_c); auto|].
      intros [ok_a chosen]. split; [auto|]. destruct (equal _ 0); auto.
    - destruct (icond_val sg w g); auto.
  Qed.

  Lemma regular_element_ext still ts G oks oks' iv l :
    (forall t at_, read K ts t at_ = read K G t at_) ->
    (forall t still at_, allows oks t still at_ -> allows oks' t still at_) ->
    regular_element erf sg still ts oks iv l -> regular_element erf sg still G oks' iv l.
  Proof using Type.
    intros same more ok s s_in w w_in holds. apply (regular_ext w ts G oks oks'); auto.
  Qed.

  Fixpoint regular_locals (ts : list (tensor K)) (oks : list (bool -> list nat -> Prop)) (l : list statement) :
      list (bool -> list nat -> Prop) :=
    match l with
    | [] => oks
    | s :: more =>
        regular_locals (statement_val sg K ts s :: ts)
          ((fun still at_ => regular_element erf sg still ts oks (rev at_) (st_summands s)) :: oks) more
    end.

  Lemma regular_locals_ext l : forall ts G oks oks',
    (forall t at_, read K ts t at_ = read K G t at_) ->
    (forall t still at_, allows oks t still at_ -> allows oks' t still at_) ->
    forall t still at_, allows (regular_locals ts oks l) t still at_ -> allows (regular_locals G oks' l) t still at_.
  Proof using Type.
    induction l as [|s l IHl]; intros ts G oks oks' same more; cbn [regular_locals]; [assumption|].
    apply IHl.
    - intros [|t] at_; [|apply same]. now apply element_ext.
    - intros [|t] still at_; [|apply more]. now apply regular_element_ext.
  Qed.

  (** What is allowed follows: [follows] of adjoint/Derivative.v, by the tangents of duals. *)
  Lemma locals_derivative l : forall (ts : R -> list (tensor K)) (P : list (tensor (dual K))) oks,
    (forall h, length (ts h) = length P) ->
    (forall t at_, fst (read (dual K) P t at_) = read K (ts 0) t at_) ->
    (forall t still at_, allows oks t still at_ -> follows erf ts (seconds K P) t still at_) ->
    forall t still at_, allows (regular_locals (ts 0) oks l) t still at_ ->
    follows erf (fun h => locals_val sg K (ts h) l) (seconds K (locals_val sg (dual K) P l)) t still at_.
  Proof using Type.
    pose proof (reals_ring_like erf) as RING.
    induction l as [|s l IHl]; intros ts P oks size firsts moves; cbn [regular_locals locals_val]; [exact moves|].
    apply (IHl (fun h => statement_val sg K (ts h) s :: ts h)).
    - intros h. cbn. now rewrite size.
    - intros [|t] at_; [|apply firsts]. now apply element_fst.
    - intros [|t] still at_ ok; [|now apply (moves t still at_)].
      assert (sizes : forall h, length (ts h) = length (seconds K P)).
      { intros h. unfold seconds. now rewrite map_length. }
      pose proof (element_derivative erf sg ts (seconds K P) oks still (rev at_) (st_summands s) sizes moves ok) as limit.
      unfold follows. destruct still; [exact limit|]. rewrite seconds_read. unfold read. cbn [nth]. unfold statement_val.
      rewrite (element_ext sg (dual K) P _ (rev at_) _ (as_paired K P (ts 0) (eq_sym (size 0)) firsts)). exact limit.
  Qed.
End LOCALS.

(** The inputs, moved by h in the directions vs. *)
Definition moved erf (xs vs : list (tensor (reals erf))) (h : R) : list (tensor (reals erf)) :=
  map (fun p at_ => fst p at_ + h * snd p at_) (combine xs vs).

Lemma moved_read erf h xs : forall vs t at_, length xs = length vs ->
  read (reals erf) (moved erf xs vs h) t at_ = read (reals erf) xs t at_ + h * read (reals erf) vs t at_.
Proof.
  assert (none : 0 * powerRZ 2 0 = 0 * powerRZ 2 0 + h * (0 * powerRZ 2 0)) by (cbn; lra).
  unfold read, moved. induction xs as [|x xs IHxs]; intros [|v vs] [|t] at_ size; try discriminate;
    cbn [combine map nth fst snd]; try exact none; try reflexivity.
  apply IHxs. now injection size.
Qed.

Lemma moved_derivative erf xs vs t at_ : length xs = length vs ->
  derivable_pt_lim (fun h => read (reals erf) (moved erf xs vs h) t at_) 0 (read (reals erf) vs t at_).
Proof.
  intros size.
  apply derivable_pt_lim_ext with (f := fun h => read (reals erf) xs t at_ + h * read (reals erf) vs t at_).
  { intros h. symmetry. now apply moved_read. }
  generalize (read (reals erf) xs t at_) as x. generalize (read (reals erf) vs t at_) as v. intros v x.
  assert (d : derivable_pt_lim (fun h => x + h * v) 0 (0 + (1 * v + 0 * 0))).
  { apply (derivable_pt_lim_plus (fun _ => x) (fun h => h * v)); [apply derivable_pt_lim_const|].
    apply (derivable_pt_lim_mult id (fun _ => v)); [apply derivable_pt_lim_id|apply derivable_pt_lim_const]. }
  now replace (0 + (1 * v + 0 * 0)) with v in d by lra.
Qed.

(** An input may be read where it is, and as one that is still where it does not move. *)
Definition still_where erf (vs : list (tensor (reals erf))) : list (bool -> list nat -> Prop) :=
  map (fun (v : tensor (reals erf)) still at_ => still = false \/ v at_ = 0) vs.

Lemma moved_follows erf xs vs t still at_ : length xs = length vs -> allows (still_where erf vs) t still at_ ->
  follows erf (moved erf xs vs) vs t still at_.
Proof.
  intros size ok. unfold follows. destruct still; [|now apply moved_derivative].
  assert (unmoved : read (reals erf) vs t at_ = 0).
  { unfold allows, still_where in ok. unfold read. destruct (Nat.lt_ge_cases t (length vs)) as [inside|outside].
    - rewrite (nth_indep _ _ ((fun (v : tensor (reals erf)) still at_ => still = false \/ v at_ = 0) (fun _ => cst (reals erf) zero))) in ok
        by now rewrite map_length.
      rewrite (map_nth (fun (v : tensor (reals erf)) still at_ => still = false \/ v at_ = 0)) in ok.
      destruct ok as [|ok]; [discriminate|exact ok].
    - rewrite nth_overflow by assumption. cbn. lra. }
  exists (-1), 1. split; [lra|]. intros h _. rewrite !moved_read by assumption. rewrite unmoved. lra.
Qed.

Section KERNEL.
  Context (erf : R -> R) (sg : nat -> nat) (k : ikernel).
  Notation K := (reals erf).
  Context (xs vs : list (tensor K)) (SIZE : length xs = length vs).

  Notation locals_at h := (locals_val sg K (moved erf xs vs h) (ik_locals k)).
  Notation oks := (regular_locals erf sg xs (still_where erf vs) (ik_locals k)).

  Definition regular_local (f : nat) (at_ : list nat) : Prop := allows oks f false at_.
  Definition regular_at (at_ : list nat) : Prop :=
    regular_element erf sg false (locals_val sg K xs (ik_locals k)) oks (rev at_) (st_summands (ik_output k)).

  Lemma still t at_ : read K xs t at_ = read K (moved erf xs vs 0) t at_.
  Proof using SIZE. rewrite moved_read by assumption. cbn. lra. Qed.

  Lemma moved_length h : length (moved erf xs vs h) = length vs.
  Proof using SIZE. unfold moved. rewrite map_length, combine_length. lia. Qed.

  Lemma paired_ext t at_ :
    read (dual K) (paired K xs vs) t at_ = read (dual K) (paired K (moved erf xs vs 0) vs) t at_.
  Proof using SIZE. rewrite !read_paired by (try apply moved_length; assumption). f_equal. apply still. Qed.

  Lemma locals_follow f fixed at_ : allows oks f fixed at_ ->
    follows erf (fun h => locals_at h) (seconds K (locals_val sg (dual K) (paired K (moved erf xs vs 0) vs) (ik_locals k))) f fixed at_.
  Proof using SIZE.
    intros ok. apply (locals_derivative erf sg (ik_locals k) (moved erf xs vs) _ (still_where erf vs)).
    - intros h. unfold paired. rewrite map_length, combine_length, !moved_length. lia.
    - intros t at_t. now rewrite read_paired by apply moved_length.
    - intros t fixed_t at_t ok_t. pose proof (moved_follows erf xs vs t fixed_t at_t SIZE ok_t) as limit.
      unfold follows in *. destruct fixed_t; [exact limit|]. rewrite seconds_read, read_paired by apply moved_length. exact limit.
    - apply (regular_locals_ext erf sg (ik_locals k) xs (moved erf xs vs 0) (still_where erf vs) (still_where erf vs)); [apply still|auto|exact ok].
  Qed.

  Lemma local_derivative f at_ : regular_local f at_ ->
    derivable_pt_lim (fun h => read K (locals_at h) f at_) 0 (local_tangent k K sg xs vs f at_).
  Proof using SIZE.
    intros ok. pose proof (locals_follow f false at_ ok) as limit. unfold follows in limit. rewrite seconds_read in limit.
    unfold local_tangent. rewrite (locals_ext sg (dual K) _ _ _ paired_ext). exact limit.
  Qed.

  Theorem kernel_derivative at_ : regular_at at_ ->
    derivable_pt_lim (fun h => ikernel_val sg K (moved erf xs vs h) k at_) 0 (tangent K sg xs vs k at_).
  Proof using SIZE.
    intros ok. unfold tangent, ikernel_val, statement_val. rewrite (element_ext sg (dual K) _ _ (rev at_) _ (locals_ext sg (dual K) _ _ _ paired_ext)).
    set (P := locals_val sg (dual K) (paired K (moved erf xs vs 0) vs) (ik_locals k)).
    assert (size : forall h, length (locals_at h) = length P).
    { intros h. unfold P. rewrite !locals_length, moved_length. unfold paired.
      rewrite map_length, combine_length, moved_length. lia. }
    assert (firsts : forall t at_t, fst (read (dual K) P t at_t) = read K (locals_at 0) t at_t).
    { unfold P. apply (locals_fst sg K (reals_ring_like erf)).
      - unfold paired. rewrite map_length, combine_length, moved_length. lia.
      - intros t at_t. now rewrite read_paired by apply moved_length. }
    rewrite (element_ext sg (dual K) P _ (rev at_) _ (as_paired K P (locals_at 0) (eq_sym (size 0)) firsts)).
    apply (element_derivative erf sg (fun h => locals_at h) (seconds K P) oks false).
    - intros h. unfold seconds. rewrite map_length. apply size.
    - intros t fixed at_t ok_t. now apply locals_follow.
    - apply (regular_element_ext erf sg false (locals_val sg K xs (ik_locals k)) _ oks oks); [|auto|exact ok].
      apply locals_ext. apply still.
  Qed.
End KERNEL.

Section GRADIENT.
  Context (erf : R -> R) (sg : nat -> nat) (k g : ikernel) (w : witness).
  Notation K := (reals erf).
  Context (xs : list (tensor K)) (dY : tensor K) (dL : nat -> tensor K) (v : tensor K).

  Notation vs := (directions k w K v).

  (** The sum of cotangents times outputs, where the target has moved by h in the direction v. *)
  Definition outputs_at (h : R) : R :=
    inner K (extents_val sg (ik_output k)) dY (ikernel_val sg K (moved erf xs vs h) k) +
    lsum K (wi_outputs w) (fun f =>
      inner K (extents_val sg (local k f)) (dL f) (read K (locals_val sg K (moved erf xs vs h) (ik_locals k)) f)).

  Lemma inner_derivative extents (dZ : tensor K) (Z : R -> tensor K) (dz : tensor K) :
    (forall i, In i (points extents []) -> derivable_pt_lim (fun h => Z h (rev i)) 0 (dz (rev i))) ->
    derivable_pt_lim (fun h => inner K extents dZ (Z h)) 0 (inner K extents dZ dz).
  Proof using Type.
    intros each. unfold inner. apply lsum_derivative. intros i i_in. cbn [op2 reals].
    replace (dZ (rev i) * dz (rev i)) with (0 * Z 0 (rev i) + dZ (rev i) * dz (rev i)) by lra.
    apply (derivable_pt_lim_mult (fun _ => dZ (rev i)) (fun h => Z h (rev i)));
      [apply derivable_pt_lim_const|now apply each].
  Qed.

  (** The gradient in the direction v is the derivative at 0, where no corner or pole is met in the
      computation of any output. *)
  Theorem gradient_derivative :
    is_gradient k g w = true -> facts_hold sg (ik_facts k) -> length xs = length (ik_inputs k) ->
    (forall i, In i (points (extents_val sg (ik_output k)) []) -> regular_at erf sg k xs vs (rev i)) ->
    (forall f, In f (wi_outputs w) -> forall i, In i (points (extents_val sg (local k f)) []) ->
       regular_local erf sg k xs vs f (rev i)) ->
    derivable_pt_lim outputs_at 0
      (inner K (sizes_val sg (target_axes k w))
        (ikernel_val sg K (gradient_inputs k g w K xs dY dL) g) v).
  Proof using Type.
    intros checked FACTS size ok oks.
    assert (dirs : length xs = length vs) by (unfold directions; now rewrite map_length, seq_length).
    rewrite <- (gradient_sound k g w checked sg FACTS K (reals_ring_like erf) xs dY dL v size).
    unfold inner_outputs. cbn [op2 reals]. apply (derivable_pt_lim_plus
      (fun h => inner K (extents_val sg (ik_output k)) dY (ikernel_val sg K (moved erf xs vs h) k))).
    - apply inner_derivative. intros i i_in. apply kernel_derivative; [assumption|now apply ok].
    - apply lsum_derivative. intros f f_in.
      apply (inner_derivative (extents_val sg (local k f)) (dL f)
        (fun h => read K (locals_val sg K (moved erf xs vs h) (ik_locals k)) f)).
      intros i i_in. apply local_derivative; [assumption|]. now apply oks.
  Qed.
End GRADIENT.
