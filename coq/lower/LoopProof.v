(** Loops over the elements of an acceptor, and assignment element by element.

    [loop_correct]    if each iteration fills its element, needing of the root no more than
                      what that element held before the loop, then the loop fills the acceptor
    [assign_correct]  assignment copies a view, even a view aligned with the acceptor *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame.
From Vouch Require Import lower.Align lower.Lower lower.Scope lower.WritesProof.
From Vouch Require Import lower.TagsProof.
Import ListNotations.

Section LOOPS.
  Context (sg : nat -> nat) (K : scalars) (junk : nat -> ty -> value K).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).
  Notation acc_path := (acc_path sg).
  Notation slot := (slot sg).
  Notation acc_inj := (acc_inj sg).
  Notation read := (read sg K).
  Notation exec := (exec sg K junk).

  Section LOOP.
    Context (kd : kind) (k : nat) (n : size) (D : sty) (body : comm) (a : acc).
    Context (ie : nat -> nat) (F : value K) (s : store K).
    Context (BODY : forall j s1, j < size_val n ->
      (forall v q, v <> root a -> s1 v q = s v q) ->
      (forall q, inb D q ->
         s1 (root a) (acc_path ie a (Ix j :: q)) = s (root a) (acc_path ie a (Ix j :: q))) ->
      forall p, inb D p ->
        exec body (bind ie k j) s1 (root a) (acc_path ie a (Ix j :: p)) = F (Ix j :: p)).
    Context (WRITES : forall j l, j < size_val n ->
      comm_writes sg body (bind ie k j) l -> slot (bind ie k j) (acc_at a k) D l).
    Context (BELOW : acc_below k a) (INJ : acc_inj ie a (SAry (size_val n) D)).

    Let after (m : nat) : store K := iterate m (fun j => exec body (bind ie k j)) s.

    Lemma loop_other m : m <= size_val n -> forall v q, v <> root a -> after m v q = s v q.
    Proof using WRITES.
      induction m as [|m IHm]; simpl; intros m_le v q other; [reflexivity|].
      unfold after. simpl. rewrite exec_frame; [apply IHm; [lia | exact other]|].
      intros writes. apply WRITES in writes; [|lia]. destruct writes as [same _].
      simpl in same. congruence.
    Qed.

    (** Iteration m leaves the elements of other iterations alone. *)
    Lemma loop_element m j s1 q : m < size_val n -> j < size_val n -> m <> j -> inb D q ->
      exec body (bind ie k m) s1 (root a) (acc_path ie a (Ix j :: q)) =
      s1 (root a) (acc_path ie a (Ix j :: q)).
    Proof using WRITES BELOW INJ.
      intros m_lt j_lt different q_in. apply exec_frame. intros writes.
      apply WRITES in writes; [|exact m_lt]. destruct writes as [_ (r & r_in & same)].
      simpl snd in same. rewrite (acc_path_at sg) in same by exact BELOW.
      apply INJ in same; simpl; auto. congruence.
    Qed.

    Lemma loop_untouched m : m <= size_val n -> forall j q, m <= j -> j < size_val n ->
      inb D q ->
      after m (root a) (acc_path ie a (Ix j :: q)) = s (root a) (acc_path ie a (Ix j :: q)).
    Proof using WRITES BELOW INJ.
      induction m as [|m IHm]; intros m_le j q j_ge j_lt q_in; [reflexivity|].
      unfold after. simpl. rewrite loop_element by (auto; lia). apply IHm; auto; lia.
    Qed.

    Lemma loop_filled m : m <= size_val n -> forall j p, j < m -> inb D p ->
      after m (root a) (acc_path ie a (Ix j :: p)) = F (Ix j :: p).
    Proof using BODY WRITES BELOW INJ.
      induction m as [|m IHm]; intros m_le j p j_lt p_in; [lia|]. unfold after. simpl.
      destruct (Nat.eq_dec m j) as [m_j|m_j].
      - rewrite <- m_j. apply BODY; auto.
        + apply (loop_other m). lia.
        + intros q q_in. apply (loop_untouched m); auto; lia.
      - rewrite loop_element by (auto; lia). apply IHm; auto; lia.
    Qed.

    Lemma loop_correct p : inb (SAry (size_val n) D) p ->
      exec (CFor kd k n body) ie s (root a) (acc_path ie a p) = F p.
    Proof using BODY WRITES BELOW INJ.
      destruct p as [|[i| |] q]; simpl; try tauto. intros [i_lt q_in].
      apply (loop_filled (size_val n)); auto.
    Qed.
  End LOOP.

  (** The view reads of the acceptor's root, at path p, only the acceptor's cell p. *)
  Definition aligned (ie : nat -> nat) (a : acc) (D : sty) (x : view) : Prop :=
    forall p l, inb D p -> In l (view_reads sg ie x p) -> fst l = root a ->
      snd l = acc_path ie a p.

  Lemma aligned_at ie k j n a D x :
    view_below k x -> acc_below k a -> j < n -> aligned ie a (SAry n D) x ->
    aligned (bind ie k j) (acc_at a k) D (view_at x k).
  Proof.
    intros x_below a_below j_lt AL p l p_in reads same_root. simpl in reads.
    rewrite bind_same in reads. rewrite acc_path_at by exact a_below.
    rewrite (view_reads_below sg k _ ie) in reads; [| |exact x_below].
    - apply AL; simpl; auto.
    - intros i i_lt. apply bind_below, i_lt.
  Qed.

  Lemma assign_correct d : forall ie k a x s p,
    view_below k x -> acc_below k a -> aligned ie a (ty_val d) x ->
    acc_inj ie a (ty_val d) -> inb (ty_val d) p ->
    exec (assign d k a x) ie s (root a) (acc_path ie a p) = read ie s x p.
  Proof.
    induction d as [|n d IHd|d1 IH1 d2 IH2]; intros ie k a x s p x_below a_below AL a_inj p_in.
    - simpl in *. destruct p; [|tauto]. apply write_same.
    - cbn [assign]. simpl in *. apply (loop_correct Seq k n (ty_val d)); auto.
      + intros j s1 j_lt other same q q_in. rewrite <- (acc_path_at sg ie k j a q a_below).
        change (root a) with (root (acc_at a k)).
        rewrite (IHd (bind ie k j) (S k) (acc_at a k) (view_at x k) s1 q); auto.
        * simpl. rewrite bind_same. transitivity (read ie s1 x (Ix j :: q)).
          { apply (read_below sg K k); [|exact x_below]. intros i i_lt. apply bind_below, i_lt. }
          apply read_agree. intros l reads. destruct (Nat.eq_dec (fst l) (root a)) as [e|e].
          { rewrite e, (AL (Ix j :: q) l) by (simpl; auto). apply same, q_in. }
          { apply other, e. }
        * simpl. split; [lia|]. apply (view_below_incr k); [lia | exact x_below].
        * simpl. split; [lia|]. apply (acc_below_incr k); [lia | exact a_below].
        * apply (aligned_at ie k j (size_val n)); assumption.
        * apply (acc_inj_at sg ie k j a (size_val n)); assumption.
      + intros j l j_lt writes. apply assign_writes in writes; [exact writes|].
        simpl. split; [lia|]. apply (acc_below_incr k); [lia | exact a_below].
    - cbn [assign Semantics.exec]. simpl in p_in, AL, a_inj.
      assert (AL1 : aligned ie (AStep FstStep a) (ty_val d1) (ILay LFst x))
        by (intros q l q_in reads same_root; exact (AL (Lft :: q) l q_in reads same_root)).
      assert (AL2 : aligned ie (AStep SndStep a) (ty_val d2) (ILay LSnd x))
        by (intros q l q_in reads same_root; exact (AL (Rgt :: q) l q_in reads same_root)).
      assert (below1 : view_below k (ILay LFst x)) by (simpl; auto).
      assert (below2 : view_below k (ILay LSnd x)) by (simpl; auto).
      assert (inj1 := acc_inj_step sg ie _ a _ _
                        (step_ok_fst sg ie (ty_val d1) (ty_val d2)) a_inj).
      assert (inj2 := acc_inj_step sg ie _ a _ _
                        (step_ok_snd sg ie (ty_val d1) (ty_val d2)) a_inj).
      destruct p as [|[i| |] p]; try tauto.
      + rewrite exec_frame.
        * exact (IH1 ie k (AStep FstStep a) (ILay LFst x) s p below1 a_below AL1 inj1 p_in).
        * intros writes. apply assign_writes in writes; [|exact a_below].
          destruct writes as [_ (q & q_in & same)]. simpl in same.
          apply a_inj in same; simpl; auto. discriminate.
      + transitivity (read ie (exec (assign d1 k (AStep FstStep a) (ILay LFst x)) ie s)
                        (ILay LSnd x) p).
        * exact (IH2 ie k (AStep SndStep a) (ILay LSnd x) _ p below2 a_below AL2 inj2 p_in).
        * simpl. apply read_agree. intros l reads. apply exec_frame. intros writes.
          apply assign_writes in writes; [|exact a_below].
          destruct writes as [same_root (q & q_in & same)]. simpl in same_root, same.
          rewrite (AL (Rgt :: p) l) in same; auto.
          apply a_inj in same; simpl; auto. discriminate.
  Qed.
End LOOPS.
