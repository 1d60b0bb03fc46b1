(** What a lowered term may read: its environment where that is fresh, its own temporaries,
    and what it has written itself.

    [good_read T]      a cell that some view of the environment reads where T calls it fresh
    [view_reads_ok] [acc_reads_ok]   this is all C and A read
    The lemmas say so of copies, temporaries and views; [ReadsProof] of all terms. *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame.
From Vouch Require Import lower.Align lower.Lower lower.Scope lower.WritesProof.
From Vouch Require Import lower.TagsProof lower.RenameProof.
Import ListNotations.

Section READS.
  Context (sg : nat -> nat).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).
  Notation comm_reads := (comm_reads sg).
  Notation view_reads := (view_reads sg).
  Notation slot := (slot sg).

  Definition good_read (T : list tag) (G : list sty) (ie : nat -> nat) (rho : list view)
      (l : loc) : Prop :=
    exists x D q, nth_error G x = Some D /\ inb D q /\ good (nth x T Cold) q = true /\
      In l (view_reads ie (nth x rho (ICst zero)) q).

  Fixpoint prelude_reads (R : loc -> Prop) (k : nat) (pre : prelude) (ie : nat -> nat) : Prop :=
    match pre with
    | [] => True
    | (_, c) :: rest =>
        (forall l, comm_reads c ie l -> R l \/ fst l = k) /\
        prelude_reads (fun l => R l \/ fst l = k) (S k) rest ie
    end.

  Definition temp_or (k n : nat) (R : loc -> Prop) : loc -> Prop :=
    fun l => k <= fst l < k + n \/ R l.

  Definition view_reads_ok (T : list tag) (X : list nat) (G : list sty) (C : view_fun) (D : sty)
      : Prop :=
    forall P k xi rho ie, scoped P k xi rho -> in_bounds (map ie xi) X ->
      prelude_reads (good_read T G ie rho) k (fst (C xi rho k)) ie /\
      forall p l, inb D p -> In l (view_reads ie (snd (C xi rho k)) p) ->
        temp_or k (length (fst (C xi rho k))) (good_read T G ie rho) l.

  Definition acc_reads_ok (T : list tag) (X : list nat) (G : list sty) (A : acc_fun) (D : sty)
      : Prop :=
    forall d P k xi rho a ie l, ty_val d = D -> scoped P k xi rho -> in_bounds (map ie xi) X ->
      acc_below k a -> root a < k -> comm_reads (A d xi rho k a) ie l ->
      slot ie a D l \/ good_read T G ie rho l.

  Lemma prelude_reads_incr (R Q : loc -> Prop) pre : forall k ie,
    (forall l, R l -> Q l) -> prelude_reads R k pre ie -> prelude_reads Q k pre ie.
  Proof.
    revert R Q. induction pre as [|[d c] pre IH]; simpl; intros R Q k ie sub; [auto|].
    intros [first rest]. split.
    - intros l reads. destruct (first l reads) as [in_R|is_k]; auto.
    - apply (IH _ _ _ _) with (2 := rest). intros l [in_R|is_k]; auto.
  Qed.

  Lemma prelude_reads_app R pre1 pre2 : forall k ie,
    prelude_reads R k pre1 ie ->
    prelude_reads (temp_or k (length pre1) R) (k + length pre1) pre2 ie ->
    prelude_reads R k (pre1 ++ pre2) ie.
  Proof.
    revert R. induction pre1 as [|[d c] pre1 IH]; simpl; intros R k ie reads1 reads2.
    - rewrite Nat.add_0_r in reads2. apply (prelude_reads_incr _ R) in reads2; [exact reads2|].
      intros l [temp|in_R]; [lia | exact in_R].
    - destruct reads1 as [first rest]. split; [exact first|]. apply IH; [exact rest|].
      replace (S k + length pre1) with (k + S (length pre1)) by lia.
      apply (prelude_reads_incr _ _ _ _ _) with (2 := reads2). unfold temp_or.
      intros l [temp|in_R]; [|auto]. destruct (Nat.eq_dec (fst l) k); [auto | left; lia].
  Qed.

  Lemma wrap_reads R pre body : forall k ie l,
    prelude_reads R k pre ie -> comm_reads (wrap k pre body) ie l ->
    R l \/ (comm_reads body ie l /\ ~ k <= fst l < k + length pre).
  Proof.
    revert R. induction pre as [|[d c] pre IH]; simpl; intros R k ie l.
    - intros _ reads. right. split; [exact reads | lia].
    - intros [first rest] [[reads|reads] other].
      + destruct (first l reads); [auto | congruence].
      + destruct (IH _ _ _ _ rest reads) as [[in_R|is_k]|[in_body not_temp]]; auto.
        * congruence.
        * right. split; [exact in_body | lia].
  Qed.

  Lemma good_read_lowered T G ie rho l :
    good_read (map lowered T) G ie rho l -> good_read T G ie rho l.
  Proof.
    intros (x & D & q & found & q_in & is_good & reads). exists x, D, q.
    rewrite nth_lowered in is_good. auto using lowered_good.
  Qed.

  Lemma good_read_cons t T D G ie x rho l :
    good_read (cons_tag t T) (D :: G) ie (x :: rho) l ->
    (exists q, inb D q /\ good t q = true /\ In l (view_reads ie x q)) \/
    good_read T G ie rho l.
  Proof.
    intros (y & E & q & found & q_in & is_good & reads). rewrite nth_cons_tag in is_good.
    destruct y as [|y]; simpl in *.
    - injection found as D_E. left. exists q. rewrite D_E. auto.
    - right. exists y, E, q. auto.
  Qed.

  Lemma good_read_bind P k xi T G ie j rho l :
    scoped P k xi rho -> good_read T G (bind ie k j) rho l -> good_read T G ie rho l.
  Proof.
    intros SC (x & D & q & found & q_in & is_good & reads). exists x, D, q.
    repeat split; auto.
    rewrite (view_reads_below sg k (bind ie k j) ie) in reads; [exact reads| |].
    - intros i i_lt. apply bind_below, i_lt.
    - apply (view_in_nth P k xi rho x SC).
  Qed.

  (** Element j of a view, in loop k. *)
  Lemma view_at_reads ie k j x q :
    view_below k x -> view_reads (bind ie k j) (view_at x k) q = view_reads ie x (Ix j :: q).
  Proof.
    intros x_below. simpl. rewrite bind_same. apply (view_reads_below sg k); [|exact x_below].
    intros i i_lt. apply bind_below, i_lt.
  Qed.

  Lemma assign_reads d : forall k a x ie l, view_below k x ->
    comm_reads (assign d k a x) ie l ->
    exists p, inb (ty_val d) p /\ In l (view_reads ie x p).
  Proof.
    induction d as [|n d IHd|d1 IH1 d2 IH2]; simpl; intros k a x ie l x_below reads.
    - exists []. simpl. auto.
    - destruct reads as (j & j_lt & reads). apply IHd in reads as (p & p_in & reads).
      + rewrite view_at_reads in reads by exact x_below. exists (Ix j :: p). simpl. auto.
      + simpl. split; [lia|]. apply (view_below_incr k); [lia | exact x_below].
    - destruct reads as [reads|reads].
      + apply IH1 in reads as (p & p_in & reads); [|simpl; auto].
        exists (Lft :: p). auto.
      + apply IH2 in reads as (p & p_in & reads); [|simpl; auto].
        exists (Rgt :: p). auto.
  Qed.

  Lemma copy_out_reads T X G C D :
    view_fun_ok sg C -> view_reads_ok T X G C D -> acc_reads_ok T X G (copy_out C) D.
  Proof.
    intros C_ok READS d P k xi rho a ie l d_D SC bounds a_below _. unfold copy_out.
    destruct (READS P k xi rho ie SC bounds) as [pre_reads x_reads].
    destruct (C_ok P k xi rho SC) as [_ x_in].
    destruct (C xi rho k) as [pre x]. simpl in *. intros reads.
    destruct (wrap_reads _ _ _ _ _ _ pre_reads reads) as [env|[body not_temp]]; [auto|].
    apply assign_reads in body as (p & p_in & body); [|apply x_in]. rewrite d_D in p_in.
    destruct (x_reads p l p_in body) as [temp|env]; [tauto | auto].
  Qed.

  Lemma spill_reads T X G A d :
    acc_reads_ok T X G A (ty_val d) -> view_reads_ok T X G (spill d A) (ty_val d).
  Proof.
    intros READS P k xi rho ie SC bounds. simpl. split.
    - split; [|exact I]. intros l reads.
      destruct (READS d P (S k) xi rho (AVar k) ie l eq_refl (scoped_S _ _ _ _ SC) bounds I
                  (le_n _) reads) as [[same _]|env]; auto.
    - intros p l _ [same|[]]. rewrite <- same. left. simpl. lia.
  Qed.

  Lemma view1_reads T X G C f S D :
    view_reads_ok T X G C S ->
    (forall ie xi x p l, in_bounds (map ie xi) X -> inb D p -> In l (view_reads ie (f xi x) p) ->
       exists q, inb S q /\ In l (view_reads ie x q)) ->
    view_reads_ok T X G (view1 C f) D.
  Proof.
    intros READS sub P k xi rho ie SC bounds.
    destruct (READS P k xi rho ie SC bounds) as [pre_reads x_reads].
    unfold view1. destruct (C xi rho k) as [pre x]. simpl in *. split; [exact pre_reads|].
    intros p l p_in reads. destruct (sub ie xi x p l bounds p_in reads) as (q & q_in & inner).
    eauto.
  Qed.

  (** Temporaries of a second view come after those of the first. *)
  Lemma temp_or_app k n m R l :
    temp_or (k + n) m (temp_or k n R) l -> temp_or k (n + m) R l.
  Proof. unfold temp_or. intros [new|[old|env]]; auto; left; lia. Qed.

  Lemma temp_or_le k n m R l : temp_or k n R l -> temp_or k (n + m) R l.
  Proof. unfold temp_or. intros [old|env]; auto. left. lia. Qed.

  Lemma temp_or_env k n m (R : loc -> Prop) l :
    temp_or (k + n) m R l -> temp_or k (n + m) R l.
  Proof. unfold temp_or. intros [new|env]; auto. left. lia. Qed.

  Lemma view2_reads T X G C1 C2 f D1 D2 D :
    view_reads_ok T X G C1 D1 -> view_reads_ok T X G C2 D2 -> view_fun_ok sg C1 ->
    (forall ie xi x y p l, inb D p -> In l (view_reads ie (f xi x y) p) ->
       (exists q, inb D1 q /\ In l (view_reads ie x q)) \/
       (exists q, inb D2 q /\ In l (view_reads ie y q))) ->
    view_reads_ok T X G (view2 C1 C2 f) D.
  Proof.
    intros READS1 READS2 C1_ok sub P k xi rho ie SC bounds.
    destruct (READS1 P k xi rho ie SC bounds) as [pre1_reads x1_reads].
    unfold view2. destruct (C1 xi rho k) as [pre1 x1]. simpl in pre1_reads, x1_reads.
    destruct (READS2 _ _ xi rho ie (scoped_ext P k (length pre1) xi rho SC) bounds)
      as [pre2_reads x2_reads].
    destruct (C2 xi rho (k + length pre1)) as [pre2 x2]. simpl in *. split.
    - apply prelude_reads_app; [exact pre1_reads|].
      apply (prelude_reads_incr _ _ _ _ _) with (2 := pre2_reads). intros l env. right. exact env.
    - intros p l p_in reads. rewrite app_length.
      destruct (sub ie xi x1 x2 p l p_in reads) as [(q & q_in & inner)|(q & q_in & inner)].
      + apply temp_or_le, (x1_reads q); assumption.
      + apply temp_or_env, (x2_reads q); assumption.
  Qed.

  Lemma pair_reads ie x y p l D1 D2 :
    inb (SPair D1 D2) p -> In l (view_reads ie (IPair x y) p) ->
    (exists q, inb D1 q /\ In l (view_reads ie x q)) \/
    (exists q, inb D2 q /\ In l (view_reads ie y q)).
  Proof. destruct p as [|[i| |] q]; simpl; try tauto; eauto. Qed.

  Lemma if_reads ie g x y p l D :
    inb D p -> In l (view_reads ie (IIf g x y) p) ->
    (exists q, inb D q /\ In l (view_reads ie x q)) \/
    (exists q, inb D q /\ In l (view_reads ie y q)).
  Proof. simpl. destruct (guard_val sg ie g); eauto. Qed.

  Lemma op_reads ie o x p l :
    In l (view_reads ie (IOp o x) p) ->
    exists q, inb (op_type o) q /\ In l (view_reads ie x q).
  Proof.
    simpl. intros reads. apply in_flat_map in reads as (q & q_arg & reads).
    eauto using op_args_inb.
  Qed.

  Lemma pad_reads ie lo n m c x p l A :
    inb (SAry m A) p -> In l (view_reads ie (IPad lo n c x) p) ->
    exists q, inb (SAry (size_val n) A) q /\ In l (view_reads ie x q).
  Proof.
    destruct p as [|[i| |] q]; simpl; try tauto. intros [_ q_in] reads.
    destruct (Nat.leb_spec (size_val lo) i); simpl in reads; [|tauto].
    destruct (Nat.ltb_spec i (size_val lo + size_val n)); simpl in reads; [|tauto].
    eexists. split; [|exact reads]. simpl. split; [lia | exact q_in].
  Qed.
End READS.
