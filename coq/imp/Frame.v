(** A command changes only what it writes.

    [exec_frame]       cells that are not written keep their contents
    [acc_path_at]      acceptor [a[i]] inside loop i
    [step_ok ie s D D1]   step s takes a place of type D to a part of type D1; its lemmas say
                       so of each step, and carry [slot] and [acc_inj] along *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax imp.Semantics.
From Vouch Require Import imp.Footprint.
Import ListNotations.

(** The first n elements of a longer array. *)
Lemma inb_prefix n m D p : inb (SAry n D) p -> inb (SAry (n + m) D) p.
Proof. destruct p as [|[i| |] q]; simpl; try tauto. intros [i_lt q_in]. split; [lia | auto]. Qed.

Section FRAME.
  Context (sg : nat -> nat).

  Notation size_val := (size_val sg).
  Notation acc_path := (acc_path sg).
  Notation step_path := (step_path sg).
  Notation slot := (slot sg).
  Notation acc_inj := (acc_inj sg).

  Section EXEC.
    Context (K : scalars) (junk : nat -> ty -> value K).

    Notation exec := (exec sg K junk).

    Lemma write_other (s : store K) v p x w q :
      (w, q) <> (v, p) -> write K s v p x w q = s w q.
    Proof.
      unfold write. intros other. destruct (Nat.eqb_spec w v) as [w_v|]; [|reflexivity].
      destruct (path_eq_dec q p) as [q_p|]; [|reflexivity]. congruence.
    Qed.

    Lemma write_same (s : store K) v p x : write K s v p x v p = x.
    Proof.
      unfold write. rewrite Nat.eqb_refl. destruct (path_eq_dec p p); congruence.
    Qed.

    Lemma set_var_same (s : store K) v m q : set_var K s v m v q = m q.
    Proof. unfold set_var. rewrite Nat.eqb_refl. reflexivity. Qed.

    Lemma set_var_other (s : store K) v m w q : w <> v -> set_var K s v m w q = s w q.
    Proof. unfold set_var. destruct (Nat.eqb_spec w v); congruence. Qed.

    Lemma exec_frame c : forall ie s v p,
      ~ comm_writes sg c ie (v, p) -> exec c ie s v p = s v p.
    Proof.
      induction c as [|c1 IH1 c2 IH2|a x|w d c IHc|k i n c IHc]; simpl; intros ie s v p no.
      - reflexivity.
      - rewrite IH2, IH1; tauto.
      - apply write_other. intros same. apply no, same.
      - destruct (Nat.eq_dec v w) as [v_w|v_w].
        + rewrite v_w. apply set_var_same.
        + rewrite set_var_other, IHc, set_var_other; auto.
      - assert (KEEP : forall m, m <= size_val n ->
          iterate m (fun j => exec c (bind ie i j)) s v p = s v p).
        { intros m. induction m as [|m IHm]; simpl; intros m_le; [reflexivity|].
          rewrite IHc; [apply IHm; lia|]. intros writes. apply no. exists m. auto. }
        apply KEEP. apply le_n.
    Qed.
  End EXEC.

  Lemma acc_path_at ie k j a p :
    acc_below k a -> acc_path (bind ie k j) (acc_at a k) p = acc_path ie a (Ix j :: p).
  Proof.
    intros a_below. simpl. rewrite bind_same.
    apply (acc_path_below sg k); [|exact a_below].
    intros i i_lt. apply bind_below, i_lt.
  Qed.

  Definition step_ok (ie : nat -> nat) (s : astep) (D D1 : sty) : Prop :=
    (forall p, inb D1 p -> inb D (step_path ie s p)) /\
    (forall p q, inb D1 p -> inb D1 q -> step_path ie s p = step_path ie s q -> p = q).

  Lemma step_ok_at ie i n D : ixe_val sg ie i < n -> step_ok ie (AtStep i) (SAry n D) D.
  Proof. intros i_lt. split; simpl; [auto | congruence]. Qed.

  Lemma step_ok_fst ie D1 D2 : step_ok ie FstStep (SPair D1 D2) D1.
  Proof. split; simpl; [auto | congruence]. Qed.

  Lemma step_ok_snd ie D1 D2 : step_ok ie SndStep (SPair D1 D2) D2.
  Proof. split; simpl; [auto | congruence]. Qed.

  Lemma step_ok_off ie n m D :
    step_ok ie (OffStep n) (SAry (size_val n + m) D) (SAry m D).
  Proof.
    split; simpl.
    - intros [|[i| |] q]; simpl; try tauto. intros [i_lt q_in]. split; [lia | exact q_in].
    - intros [|[i| |] p] [|[j| |] q]; simpl; try tauto. intros _ _ same.
      injection same as i_j p_q. rewrite p_q. repeat f_equal. lia.
  Qed.

  Lemma step_ok_lay ie l S D : lay_inverse_ok sg l S D -> step_ok ie (LayStep l) D S.
  Proof.
    intros (_ & _ & INV). split; simpl.
    - intros p p_in. apply INV, p_in.
    - intros p q p_in q_in same.
      destruct (INV p p_in) as (_ & _ & back_p). destruct (INV q q_in) as (_ & _ & back_q).
      rewrite <- (back_p ie), <- (back_q ie), same. reflexivity.
  Qed.

  Lemma slot_step ie s a D D1 l :
    step_ok ie s D D1 -> slot ie (AStep s a) D1 l -> slot ie a D l.
  Proof.
    intros [INTO _] [same_root (p & p_in & same_path)]. split; [exact same_root|].
    exists (step_path ie s p). auto.
  Qed.

  Lemma acc_inj_step ie s a D D1 :
    step_ok ie s D D1 -> acc_inj ie a D -> acc_inj ie (AStep s a) D1.
  Proof.
    intros [INTO INJ] a_inj p q p_in q_in same. simpl in same.
    apply a_inj in same; auto.
  Qed.

  Lemma acc_inj_var ie v D : acc_inj ie (AVar v) D.
  Proof. intros p q _ _ same. exact same. Qed.

  Lemma slot_at ie k j a n D l :
    acc_below k a -> j < n -> slot (bind ie k j) (acc_at a k) D l -> slot ie a (SAry n D) l.
  Proof.
    intros a_below j_lt [same_root (p & p_in & same_path)]. split; [exact same_root|].
    exists (Ix j :: p). rewrite same_path, acc_path_at by exact a_below. simpl. auto.
  Qed.

  Lemma acc_path_bind ie k k1 j a p :
    acc_below k a -> k <= k1 -> acc_path (bind ie k1 j) a p = acc_path ie a p.
  Proof.
    intros a_below k_le. apply (acc_path_below sg k); [|exact a_below].
    intros i i_lt. apply bind_below. lia.
  Qed.

  Lemma slot_bind ie k j a D l : acc_below k a -> slot (bind ie k j) a D l <-> slot ie a D l.
  Proof.
    intros a_below. unfold Footprint.slot.
    split; intros [same_root (p & p_in & same_path)]; (split; [exact same_root|]);
      exists p; rewrite same_path; rewrite (acc_path_bind ie k k) by auto; auto.
  Qed.

  Lemma acc_inj_at ie k j a n D :
    acc_below k a -> j < n -> acc_inj ie a (SAry n D) -> acc_inj (bind ie k j) (acc_at a k) D.
  Proof.
    intros a_below j_lt a_inj p q p_in q_in same.
    rewrite !acc_path_at in same by exact a_below.
    apply a_inj in same; simpl; [congruence | auto | auto].
  Qed.

  Lemma slot_prefix ie a n m D l : slot ie a (SAry n D) l -> slot ie a (SAry (n + m) D) l.
  Proof. intros [same_root (p & p_in & same_path)]. split; eauto using inb_prefix. Qed.

  Lemma acc_inj_prefix ie a n m D : acc_inj ie a (SAry (n + m) D) -> acc_inj ie a (SAry n D).
  Proof. intros a_inj p q p_in q_in. apply a_inj; apply inb_prefix; auto. Qed.

  (** Iterations of a loop over the elements of an acceptor touch different cells. *)
  Lemma slot_at_disjoint ie k j j1 a n D l :
    acc_below k a -> j < n -> j1 < n -> acc_inj ie a (SAry n D) ->
    slot (bind ie k j) (acc_at a k) D l -> slot (bind ie k j1) (acc_at a k) D l -> j = j1.
  Proof.
    intros a_below j_lt j1_lt a_inj [_ (p & p_in & path_p)] [_ (q & q_in & path_q)].
    rewrite path_p in path_q. rewrite !acc_path_at in path_q by exact a_below.
    apply a_inj in path_q; simpl; auto. congruence.
  Qed.
End FRAME.
