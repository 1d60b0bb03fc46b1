(** Flat addresses: within the variable, one for each cell, and what the index terms compute.

    [cells D]    the number of scalars of type D
    [place_of D p]   the address of cell p; [place_below], [place_inj]
    [path_val]   the path that a path of index terms denotes
    [offset_val] [offset_safe]   the index term of a path computes its address *)

From Coq Require Import Arith NArith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax imp.Semantics.
From Vouch Require Import imp.Footprint imp.Safety imp.Flat lower.Flatten.
Import ListNotations.

Fixpoint cells (D : sty) : nat :=
  match D with
  | SNum => 1
  | SAry n D1 => n * cells D1
  | SPair D1 D2 => cells D1 + cells D2
  end.

Fixpoint place_of (D : sty) (p : path) : nat :=
  match D, p with
  | SAry _ D1, Ix i :: q => i * cells D1 + place_of D1 q
  | SPair D1 _, Lft :: q => place_of D1 q
  | SPair D1 D2, Rgt :: q => cells D1 + place_of D2 q
  | _, _ => 0
  end.

Lemma place_below D : forall p, inb D p -> place_of D p < cells D.
Proof.
  induction D as [|n D IHD|D1 IH1 D2 IH2]; intros [|[i| |] q]; simpl; try tauto.
  - lia.
  - intros [i_lt q_in]. specialize (IHD q q_in). nia.
  - intros q_in. specialize (IH1 q q_in). lia.
  - intros q_in. specialize (IH2 q q_in). lia.
Qed.

Lemma place_inj D : forall p q, inb D p -> inb D q -> place_of D p = place_of D q -> p = q.
Proof.
  induction D as [|n D IHD|D1 IH1 D2 IH2]; intros [|[i| |] p] [|[j| |] q]; simpl; try tauto.
  - intros [i_lt p_in] [j_lt q_in] same.
    pose proof (place_below D p p_in). pose proof (place_below D q q_in).
    assert (i_j : i = j) by nia. rewrite i_j in *. f_equal. apply IHD; auto. lia.
  - intros p_in q_in same. f_equal. apply IH1; assumption.
  - intros p_in q_in same. pose proof (place_below D1 p p_in). lia.
  - intros p_in q_in same. pose proof (place_below D1 q q_in). lia.
  - intros p_in q_in same. f_equal. apply IH2; auto. lia.
Qed.

Section OFFSETS.
  Context (sg : nat -> nat) (ie : nat -> nat).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).
  Notation ixe_val := (ixe_val sg ie).
  Notation ixe_safe := (ixe_safe sg ie).

  Definition sstep_val (s : sstep) : step :=
    match s with
    | XIx i => Ix (ixe_val i)
    | XLft => Lft
    | XRgt => Rgt
    end.

  Definition path_val (p : spath) : path := map sstep_val p.

  Definition path_safe (p : spath) : Prop :=
    Forall (fun s => match s with XIx i => ixe_safe i | XLft | XRgt => True end) p.

  (** Constructors that leave out what is neutral. *)

  Lemma is_const_val s c : is_const s c = true -> size_val s = N.to_nat c.
  Proof.
    destruct s; simpl; try discriminate. intros same.
    apply N.eqb_eq in same. rewrite same. reflexivity.
  Qed.

  Lemma size_mul_val a b : size_val (size_mul a b) = size_val a * size_val b.
  Proof.
    unfold size_mul. destruct (is_const a 1) eqn:a_1.
    - rewrite (is_const_val _ _ a_1). simpl. lia.
    - destruct (is_const b 1) eqn:b_1.
      + rewrite (is_const_val _ _ b_1). simpl. lia.
      + destruct a, b; simpl; auto. lia.
  Qed.

  Lemma size_add_val a b : size_val (size_add a b) = size_val a + size_val b.
  Proof.
    unfold size_add. destruct (is_const a 0) eqn:a_0.
    - rewrite (is_const_val _ _ a_0). reflexivity.
    - destruct (is_const b 0) eqn:b_0.
      + rewrite (is_const_val _ _ b_0). simpl. lia.
      + destruct a, b; simpl; auto. lia.
  Qed.

  Lemma is_xconst_val e c : is_xconst e c = true -> ixe_val e = N.to_nat c.
  Proof. destruct e; simpl; try discriminate. apply is_const_val. Qed.

  Lemma xadd_val a b : ixe_val (xadd a b) = ixe_val a + ixe_val b.
  Proof.
    unfold xadd. destruct (is_xconst a 0) eqn:a_0.
    - rewrite (is_xconst_val _ _ a_0). reflexivity.
    - destruct (is_xconst b 0) eqn:b_0; [|reflexivity].
      rewrite (is_xconst_val _ _ b_0). simpl. lia.
  Qed.

  Lemma xsub_val a b : ixe_val (xsub a b) = ixe_val a - ixe_val b.
  Proof.
    unfold xsub. destruct (is_xconst b 0) eqn:b_0; [|reflexivity].
    rewrite (is_xconst_val _ _ b_0). simpl. lia.
  Qed.

  Lemma xmul_val a b : ixe_val (xmul a b) = ixe_val a * ixe_val b.
  Proof.
    unfold xmul. destruct (is_xconst a 0) eqn:a_0.
    { rewrite (is_xconst_val _ _ a_0). reflexivity. }
    destruct (is_xconst b 0) eqn:b_0.
    { rewrite (is_xconst_val _ _ b_0). simpl. lia. }
    destruct (is_xconst a 1) eqn:a_1.
    { rewrite (is_xconst_val _ _ a_1). simpl. lia. }
    destruct (is_xconst b 1) eqn:b_1; [|reflexivity].
    rewrite (is_xconst_val _ _ b_1). simpl. lia.
  Qed.

  Lemma xdiv_val a b : ixe_val (xdiv a b) = ixe_val a / ixe_val b.
  Proof.
    unfold xdiv. destruct (is_xconst b 1) eqn:b_1; [|reflexivity].
    rewrite (is_xconst_val _ _ b_1). symmetry. apply Nat.div_1_r.
  Qed.

  Lemma xadd_safe a b : ixe_safe a -> ixe_safe b -> ixe_safe (xadd a b).
  Proof.
    unfold xadd. destruct (is_xconst a 0); [auto|]. destruct (is_xconst b 0); simpl; auto.
  Qed.

  Lemma xsub_safe a b : ixe_safe a -> ixe_safe b -> ixe_val b <= ixe_val a -> ixe_safe (xsub a b).
  Proof. unfold xsub. destruct (is_xconst b 0); simpl; auto. Qed.

  Lemma xmul_safe a b : ixe_safe a -> ixe_safe b -> ixe_safe (xmul a b).
  Proof.
    unfold xmul. destruct (is_xconst a 0); [auto|]. destruct (is_xconst b 0); [auto|].
    destruct (is_xconst a 1); [auto|]. destruct (is_xconst b 1); simpl; auto.
  Qed.

  Lemma xdiv_safe a b : ixe_safe a -> ixe_safe b -> ixe_val b <> 0 -> ixe_safe (xdiv a b).
  Proof. unfold xdiv. destruct (is_xconst b 1); simpl; auto. Qed.

  (** Layouts on paths of index terms. *)

  Lemma lay_spath_val l : forall p, path_val (lay_spath l p) = lay_path sg ie l (path_val p).
  Proof.
    induction l as [| |i| | |n m|n m| |n|w k s d|o n|n|l IHl]; intros p; simpl; auto;
      try (destruct p as [|[i1| |] [|[i2| |] q]]; simpl;
           rewrite ?xadd_val, ?xmul_val, ?xdiv_val; reflexivity).
    destruct p as [|s q]; simpl; [reflexivity|]. unfold path_val in IHl. rewrite IHl.
    reflexivity.
  Qed.

  Lemma lay_inverse_spath_val l : forall p,
    path_val (lay_inverse_spath l p) = lay_inverse sg l (path_val p).
  Proof.
    induction l as [| |i| | |n m|n m| |n|w k s d|o n|n|l IHl]; intros p; simpl; auto;
      try (destruct p as [|[i1| |] [|[i2| |] q]]; simpl;
           rewrite ?xadd_val, ?xmul_val, ?xdiv_val; reflexivity).
    destruct p as [|s q]; simpl; [reflexivity|]. unfold path_val in IHl. rewrite IHl.
    reflexivity.
  Qed.

  Lemma path_safe_cons s p :
    path_safe (s :: p) <->
    match s with XIx i => ixe_safe i | XLft | XRgt => True end /\ path_safe p.
  Proof.
    unfold path_safe. split; [|intros [s_safe p_safe]; constructor; assumption].
    intros safe. inversion safe. auto.
  Qed.

  Lemma lay_spath_safe l : forall p,
    path_safe p -> lay_safe sg ie l (path_val p) -> path_safe (lay_spath l p).
  Proof.
    induction l as [| |e| | |n m|n m| |n|w k s d|o n|n|l IHl]; intros p safe lay_is_safe; simpl.
    - apply path_safe_cons. auto.
    - apply path_safe_cons. auto.
    - apply path_safe_cons. auto.
    - destruct p as [|[i| |] [|t q]]; auto.
      repeat rewrite path_safe_cons in *. tauto.
    - destruct p as [|t [|[i| |] q]]; auto; destruct t; auto;
        repeat rewrite path_safe_cons in *; tauto.
    - destruct p as [|[i| |] [|[j| |] q]]; auto. repeat rewrite path_safe_cons in *.
      split; [|tauto]. apply xadd_safe; [apply xmul_safe|]; simpl; tauto.
    - destruct p as [|[i| |] q]; auto. repeat rewrite path_safe_cons in *. simpl in *.
      repeat split; try tauto. apply xdiv_safe; simpl; tauto.
    - destruct p as [|[i| |] [|[j| |] q]]; auto. repeat rewrite path_safe_cons in *. tauto.
    - destruct p as [|[i| |] q]; auto. repeat rewrite path_safe_cons in *. simpl in *. tauto.
    - destruct p as [|[i| |] [|[j| |] q]]; auto. repeat rewrite path_safe_cons in *.
      split; [|tauto]. apply xadd_safe; apply xmul_safe; simpl; tauto.
    - destruct p as [|[i| |] q]; auto. repeat rewrite path_safe_cons in *.
      split; [|tauto]. apply xadd_safe; simpl; tauto.
    - destruct p as [|[i| |] q]; auto. rewrite path_safe_cons in safe. tauto.
    - destruct p as [|s q]; auto. repeat rewrite path_safe_cons in *.
      split; [tauto|]. apply IHl; simpl in lay_is_safe; tauto.
  Qed.

  Lemma lay_inverse_spath_safe l : forall p,
    path_safe p -> lay_inverse_safe sg l (path_val p) -> path_safe (lay_inverse_spath l p).
  Proof.
    induction l as [| |e| | |n m|n m| |n|w k s d|o n|n|l IHl]; intros p safe inverse_safe; simpl;
      auto.
    - destruct p as [|t [|[i| |] q]]; auto; destruct t; auto;
        repeat rewrite path_safe_cons in *; tauto.
    - destruct p as [|[i| |] [|t q]]; auto. repeat rewrite path_safe_cons in *. tauto.
    - destruct p as [|[i| |] q]; auto. repeat rewrite path_safe_cons in *. simpl in *.
      repeat split; try tauto. apply xdiv_safe; simpl; tauto.
    - destruct p as [|[i| |] [|[j| |] q]]; auto. repeat rewrite path_safe_cons in *.
      split; [|tauto]. apply xadd_safe; [apply xmul_safe|]; simpl; tauto.
    - destruct p as [|[i| |] [|[j| |] q]]; auto. repeat rewrite path_safe_cons in *. tauto.
    - destruct p as [|[i| |] q]; auto. repeat rewrite path_safe_cons in *. simpl in *. tauto.
    - destruct p as [|s q]; auto. repeat rewrite path_safe_cons in *.
      split; [tauto|]. apply IHl; simpl in inverse_safe; tauto.
  Qed.

  Lemma step_spath_val s p : path_val (step_spath s p) = step_path sg ie s (path_val p).
  Proof.
    destruct s as [i| | |n|l]; simpl; auto.
    - destruct p as [|[i| |] q]; simpl; rewrite ?xadd_val; reflexivity.
    - apply lay_inverse_spath_val.
  Qed.

  Lemma acc_spath_val a : forall p, path_val (acc_spath a p) = acc_path sg ie a (path_val p).
  Proof.
    induction a as [v|s a IHa]; simpl; intros p; [reflexivity|].
    rewrite IHa, step_spath_val. reflexivity.
  Qed.

  Lemma acc_spath_safe a : forall p,
    path_safe p -> acc_safe sg ie a (path_val p) -> path_safe (acc_spath a p).
  Proof.
    induction a as [v|s a IHa]; simpl; intros p safe acc_is_safe; [exact safe|].
    destruct acc_is_safe as [step_is_safe acc_is_safe]. apply IHa.
    - destruct s as [i| | |n|l]; simpl in *.
      + apply path_safe_cons. auto.
      + apply path_safe_cons. auto.
      + apply path_safe_cons. auto.
      + destruct p as [|[i| |] q]; auto. repeat rewrite path_safe_cons in *.
        split; [apply xadd_safe; simpl; tauto | tauto].
      + apply lay_inverse_spath_safe; assumption.
    - rewrite step_spath_val. exact acc_is_safe.
  Qed.

  Lemma ty_size_val d : size_val (ty_size d) = cells (ty_val d).
  Proof.
    induction d as [|n d IHd|d1 IH1 d2 IH2]; simpl; [reflexivity| |].
    - rewrite size_mul_val, IHd. reflexivity.
    - rewrite size_add_val, IH1, IH2. reflexivity.
  Qed.

  Lemma offset_term_val d : forall p, inb (ty_val d) (path_val p) ->
    ixe_val (offset_term d p) = place_of (ty_val d) (path_val p).
  Proof.
    induction d as [|n d IHd|d1 IH1 d2 IH2]; intros [|[i| |] q]; simpl; try tauto.
    - intros [_ q_in]. rewrite xadd_val, xmul_val, IHd by exact q_in. simpl.
      rewrite ty_size_val. reflexivity.
    - intros q_in. apply IH1, q_in.
    - intros q_in. rewrite xadd_val, IH2 by exact q_in. simpl. rewrite ty_size_val. reflexivity.
  Qed.

  Lemma offset_term_safe d : forall p, path_safe p -> ixe_safe (offset_term d p).
  Proof.
    induction d as [|n d IHd|d1 IH1 d2 IH2]; intros [|[i| |] q] safe; simpl; auto;
      apply path_safe_cons in safe as [i_safe q_safe]; auto.
    - apply xadd_safe; [apply xmul_safe; simpl; auto | auto].
    - apply xadd_safe; simpl; auto.
  Qed.

  Lemma offset_val d p : inb (ty_val d) (path_val p) ->
    address sg ie (offset d p) = place_of (ty_val d) (path_val p).
  Proof. intros p_in. destruct d; [reflexivity| |]; apply offset_term_val, p_in. Qed.

  Definition extent (g : ty_env) (v : nat) : nat := cells (ty_val (g v)).

  Lemma offset_access_safe g v p : inb (ty_val (g v)) (path_val p) -> path_safe p ->
    access_safe sg (extent g) ie v (offset (g v) p).
  Proof.
    intros p_in safe. split.
    - rewrite offset_val by exact p_in. apply place_below, p_in.
    - unfold offset. destruct (g v); [exact I| |]; apply offset_term_safe, safe.
  Qed.

  Lemma pad_guard_val lo n i :
    guard_val sg ie (pad_guard lo n i) =
    (size_val lo <=? ixe_val i) && (ixe_val i <? size_val lo + size_val n).
  Proof.
    unfold pad_guard. destruct (is_const lo 0) eqn:lo_0.
    - rewrite (is_const_val _ _ lo_0). reflexivity.
    - simpl. rewrite size_add_val. f_equal.
      destruct (Nat.ltb_spec (ixe_val i) (size_val lo)), (Nat.leb_spec (size_val lo) (ixe_val i));
        simpl; auto; lia.
  Qed.

  Lemma pad_guard_safe lo n i : ixe_safe i -> guard_safe sg ie (pad_guard lo n i).
  Proof. unfold pad_guard. destruct (is_const lo 0); simpl; tauto. Qed.
End OFFSETS.
