(** Index variables renamed to loop variables mean the same.

    [lay_ok_rename]  a layout that is well typed for the index variables is so when lowered
    [in_bounds_loop] inside a loop its index variable is in bounds *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint lower.Align lower.Lower.
Import ListNotations.

Section RENAME.
  Context (sg : nat -> nat).

  Lemma ixe_val_rename ie xi e :
    ixe_val sg ie (ixe_rename xi e) = ixe_val sg (index_env (map ie xi)) e.
  Proof.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb]; simpl; auto.
    unfold index_env.
    destruct (nth_error xi i) as [v|] eqn:found; simpl.
    - symmetry. apply nth_error_nth, map_nth_error, found.
    - symmetry. apply nth_overflow. rewrite map_length. apply nth_error_None, found.
  Qed.

  Lemma ixe_safe_rename ie xi e :
    ixe_safe sg (index_env (map ie xi)) e -> ixe_safe sg ie (ixe_rename xi e).
  Proof.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb]; simpl;
      rewrite ?ixe_val_rename; try tauto.
    intros _. destruct (nth_error xi i); exact I.
  Qed.

  Lemma guard_val_rename ie xi g :
    guard_val sg ie (guard_rename xi g) = guard_val sg (index_env (map ie xi)) g.
  Proof. induction g; simpl; rewrite ?ixe_val_rename; congruence. Qed.

  Lemma guard_safe_rename ie xi g :
    guard_safe sg (index_env (map ie xi)) g -> guard_safe sg ie (guard_rename xi g).
  Proof.
    induction g; simpl; intuition; apply ixe_safe_rename; assumption.
  Qed.

  Lemma lay_path_rename ie xi l : forall p,
    lay_path sg ie (lay_rename xi l) p = lay_path sg (index_env (map ie xi)) l p.
  Proof.
    induction l as [| |i| | |n m|n m| |n|w k s d|o n|n|l IHl]; intros p; simpl; auto.
    - rewrite ixe_val_rename. reflexivity.
    - destruct p as [|t q]; [reflexivity|]. rewrite IHl. reflexivity.
  Qed.

  Lemma lay_safe_rename ie xi l : forall p,
    lay_safe sg (index_env (map ie xi)) l p -> lay_safe sg ie (lay_rename xi l) p.
  Proof.
    induction l as [| |i| | |n m|n m| |n|w k s d|o n|n|l IHl]; intros p; simpl; auto.
    - apply ixe_safe_rename.
    - destruct p as [|t q]; [auto | apply IHl].
  Qed.

  Lemma lay_ok_rename ie xi l S D :
    lay_ok sg (index_env (map ie xi)) l S D -> lay_ok sg ie (lay_rename xi l) S D.
  Proof.
    intros [SHAPE OK]. split.
    - destruct l; exact SHAPE.
    - intros p p_in. rewrite lay_path_rename. destruct (OK p p_in) as [q_in safe].
      split; [exact q_in | apply lay_safe_rename, safe].
  Qed.

  Lemma tag_lay_rename xi l t : tag_lay (lay_rename xi l) t = tag_lay l t.
  Proof. destruct l; reflexivity. Qed.

  Lemma in_bounds_loop ie k j n xi X :
    Forall (fun v => v < k) xi -> j < n -> in_bounds (map ie xi) X ->
    in_bounds (map (bind ie k j) (k :: xi)) (n :: X).
  Proof.
    intros below j_lt bounds. rewrite map_bind by exact below. constructor; assumption.
  Qed.

  Lemma in_bounds_bind ie k j xi X :
    Forall (fun v => v < k) xi -> in_bounds (map ie xi) X ->
    in_bounds (map (bind ie k j) xi) X.
  Proof.
    intros below bounds. replace (map (bind ie k j) xi) with (map ie xi); [exact bounds|].
    apply map_ext_in. intros v v_in. rewrite Forall_forall in below.
    symmetry. apply bind_below, below, v_in.
  Qed.
End RENAME.
