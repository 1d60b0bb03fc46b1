(** What views and commands may touch.

    [loc]              a variable and a path
    [occurs]           the variables a view mentions
    [view_below k x]   all loop variables of x are below k; likewise for acceptors and others
    [view_reads]       the cells a view reads at a path
    [comm_writes] [comm_reads]   the cells a command may touch, outside its own variables
    [slot ie a D l]    l is a cell of acceptor a at type D
    [acc_inj]          different paths of an acceptor are different cells *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax imp.Semantics.
Import ListNotations.

Definition loc : Type := (nat * path)%type.

Fixpoint occurs (x : view) (v : nat) : Prop :=
  match x with
  | IVar w => v = w
  | IAcc a => v = root a
  | ICst _ => False
  | IOp _ x1 | ILay _ x1 | IPad _ _ _ x1 => occurs x1 v
  | IPair x1 x2 | IIf _ x1 x2 => occurs x1 v \/ occurs x2 v
  end.

Fixpoint ixe_below (k : nat) (e : ixe) : Prop :=
  match e with
  | XVar i => i < k
  | XSize _ => True
  | XAdd a b | XSub a b | XMul a b | XDiv a b | XMod a b => ixe_below k a /\ ixe_below k b
  end.

Fixpoint guard_below (k : nat) (g : guard) : Prop :=
  match g with
  | GLess a b | GEqual a b => ixe_below k a /\ ixe_below k b
  | GAnd g1 g2 | GOr g1 g2 => guard_below k g1 /\ guard_below k g2
  | GNot g1 => guard_below k g1
  end.

Fixpoint lay_below (k : nat) (l : lay) : Prop :=
  match l with
  | LAt i => ixe_below k i
  | LMap l1 => lay_below k l1
  | _ => True
  end.

Fixpoint acc_below (k : nat) (a : acc) : Prop :=
  match a with
  | AVar _ => True
  | AStep (AtStep i) a1 => ixe_below k i /\ acc_below k a1
  | AStep _ a1 => acc_below k a1
  end.

Fixpoint view_below (k : nat) (x : view) : Prop :=
  match x with
  | IVar _ | ICst _ => True
  | IAcc a => acc_below k a
  | IOp _ x1 | IPad _ _ _ x1 => view_below k x1
  | ILay l x1 => lay_below k l /\ view_below k x1
  | IPair x1 x2 => view_below k x1 /\ view_below k x2
  | IIf g x1 x2 => guard_below k g /\ view_below k x1 /\ view_below k x2
  end.

Lemma ixe_below_incr k k1 e : k <= k1 -> ixe_below k e -> ixe_below k1 e.
Proof. intros k_le. induction e; simpl; intuition lia. Qed.

Lemma guard_below_incr k k1 g : k <= k1 -> guard_below k g -> guard_below k1 g.
Proof. intros k_le. induction g; simpl; intuition eauto using ixe_below_incr. Qed.

Lemma lay_below_incr k k1 l : k <= k1 -> lay_below k l -> lay_below k1 l.
Proof. intros k_le. induction l; simpl; auto. apply ixe_below_incr, k_le. Qed.

Lemma acc_below_incr k k1 a : k <= k1 -> acc_below k a -> acc_below k1 a.
Proof.
  intros k_le. induction a as [v|s a IHa]; simpl; auto.
  destruct s; auto. intros [i_below a_below]. eauto using ixe_below_incr.
Qed.

Lemma view_below_incr k k1 x : k <= k1 -> view_below k x -> view_below k1 x.
Proof.
  intros k_le.
  induction x; simpl; intuition eauto using acc_below_incr, lay_below_incr, guard_below_incr.
Qed.

Lemma apply_op_agree K o (v w : value K) :
  (forall q, In q (op_args o) -> v q = w q) -> apply_op K o v = apply_op K o w.
Proof. intros same. destruct o; simpl in *; f_equal; auto. Qed.

Section FOOTPRINT.
  Context (sg : nat -> nat).

  Notation acc_path := (acc_path sg).

  Fixpoint view_reads (ie : nat -> nat) (x : view) (p : path) : list loc :=
    match x with
    | IVar v => [(v, p)]
    | IAcc a => [(root a, acc_path ie a p)]
    | ICst _ => []
    | IOp o x1 => flat_map (view_reads ie x1) (op_args o)
    | IPair x1 x2 =>
        match p with
        | Lft :: q => view_reads ie x1 q
        | Rgt :: q => view_reads ie x2 q
        | _ => []
        end
    | ILay l x1 => view_reads ie x1 (lay_path sg ie l p)
    | IPad lo n _ x1 =>
        match p with
        | Ix i :: q =>
            if (size_val sg lo <=? i) && (i <? size_val sg lo + size_val sg n)
            then view_reads ie x1 (Ix (i - size_val sg lo) :: q)
            else []
        | _ => []
        end
    | IIf g x1 x2 => if guard_val sg ie g then view_reads ie x1 p else view_reads ie x2 p
    end.

  Fixpoint comm_writes (c : comm) (ie : nat -> nat) (l : loc) : Prop :=
    match c with
    | CSkip => False
    | CSeq c1 c2 => comm_writes c1 ie l \/ comm_writes c2 ie l
    | CAssign a _ => l = (root a, acc_path ie a [])
    | CNew v _ c1 => comm_writes c1 ie l /\ fst l <> v
    | CFor _ i n c1 => exists j, j < size_val sg n /\ comm_writes c1 (bind ie i j) l
    end.

  Fixpoint comm_reads (c : comm) (ie : nat -> nat) (l : loc) : Prop :=
    match c with
    | CSkip => False
    | CSeq c1 c2 => comm_reads c1 ie l \/ comm_reads c2 ie l
    | CAssign _ x => In l (view_reads ie x [])
    | CNew v _ c1 => comm_reads c1 ie l /\ fst l <> v
    | CFor _ i n c1 => exists j, j < size_val sg n /\ comm_reads c1 (bind ie i j) l
    end.

  Definition slot (ie : nat -> nat) (a : acc) (D : sty) (l : loc) : Prop :=
    fst l = root a /\ exists p, inb D p /\ snd l = acc_path ie a p.

  Definition acc_inj (ie : nat -> nat) (a : acc) (D : sty) : Prop :=
    forall p q, inb D p -> inb D q -> acc_path ie a p = acc_path ie a q -> p = q.

  Lemma bind_same ie i j : bind ie i j i = j.
  Proof. unfold bind. rewrite Nat.eqb_refl. reflexivity. Qed.

  Lemma bind_below ie k j i : i < k -> bind ie k j i = ie i.
  Proof. unfold bind. destruct (Nat.eqb_spec i k); [lia | reflexivity]. Qed.

  Lemma map_bind ie k j xi :
    Forall (fun v => v < k) xi -> map (bind ie k j) (k :: xi) = j :: map ie xi.
  Proof.
    intros below. simpl. rewrite bind_same. f_equal. apply map_ext_in.
    intros v v_in. rewrite Forall_forall in below. apply bind_below, below, v_in.
  Qed.

  (** Loop variables below k are all that matters. *)
  Section AGREE.
    Context (k : nat) (ie ie1 : nat -> nat) (SAME : forall i, i < k -> ie i = ie1 i).

    Lemma ixe_val_below e : ixe_below k e -> ixe_val sg ie e = ixe_val sg ie1 e.
    Proof using SAME.
      induction e; simpl; intros below; auto; destruct below; f_equal; auto.
    Qed.

    Lemma guard_val_below g : guard_below k g -> guard_val sg ie g = guard_val sg ie1 g.
    Proof using SAME.
      induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; simpl; intros below.
      - rewrite (ixe_val_below a), (ixe_val_below b); tauto.
      - rewrite (ixe_val_below a), (ixe_val_below b); tauto.
      - rewrite IH1, IH2; tauto.
      - rewrite IH1, IH2; tauto.
      - rewrite IH1; tauto.
    Qed.

    Lemma lay_path_below l : forall p,
      lay_below k l -> lay_path sg ie l p = lay_path sg ie1 l p.
    Proof using SAME.
      induction l as [| |i| | |n m|n m| |n|w k1 s d|o n|n|l IHl]; simpl; intros p below; auto.
      - rewrite (ixe_val_below i below). reflexivity.
      - destruct p as [|s q]; [reflexivity|]. rewrite IHl; auto.
    Qed.

    Lemma acc_path_below a : forall p,
      acc_below k a -> acc_path ie a p = acc_path ie1 a p.
    Proof using SAME.
      induction a as [v|s a IHa]; simpl; intros p below; [reflexivity|].
      destruct s as [i| | |n|l]; simpl; try (apply IHa; exact below).
      rewrite (ixe_val_below i) by tauto. apply IHa; tauto.
    Qed.

    Lemma view_reads_below x : forall p,
      view_below k x -> view_reads ie x p = view_reads ie1 x p.
    Proof using SAME.
      induction x as [v|a|c|o x IHx|x1 IH1 x2 IH2|l x IHx|lo n c x IHx|g x1 IH1 x2 IH2];
        simpl; intros p below; auto.
      - rewrite (acc_path_below a p below). reflexivity.
      - apply flat_map_ext. intros q. apply IHx, below.
      - destruct p as [|[i| |] q]; auto; [apply IH1 | apply IH2]; tauto.
      - rewrite (lay_path_below l) by tauto. apply IHx; tauto.
      - destruct p as [|[i| |] q]; auto. destruct (_ && _); auto.
      - rewrite (guard_val_below g) by tauto.
        destruct (guard_val sg ie1 g); [apply IH1 | apply IH2]; tauto.
    Qed.
  End AGREE.

  Lemma view_reads_occurs ie x : forall p l, In l (view_reads ie x p) -> occurs x (fst l).
  Proof.
    induction x as [v|a|c|o x IHx|x1 IH1 x2 IH2|m x IHx|lo n c x IHx|g x1 IH1 x2 IH2];
      simpl; intros p l reads.
    - destruct reads as [reads|[]]. rewrite <- reads. reflexivity.
    - destruct reads as [reads|[]]. rewrite <- reads. reflexivity.
    - exact reads.
    - apply in_flat_map in reads as [q [_ reads]]. eauto.
    - destruct p as [|[i| |] q]; simpl in reads; try tauto; eauto.
    - eauto.
    - destruct p as [|[i| |] q]; simpl in reads; try tauto.
      destruct (_ && _); simpl in reads; [eauto | tauto].
    - destruct (guard_val sg ie g); eauto.
  Qed.

  (** A view depends on the cells it reads only. *)
  Lemma read_agree K ie x : forall (s s1 : store K) p,
    (forall l, In l (view_reads ie x p) -> s (fst l) (snd l) = s1 (fst l) (snd l)) ->
    read sg K ie s x p = read sg K ie s1 x p.
  Proof.
    induction x as [v|a|c|o x IHx|x1 IH1 x2 IH2|m x IHx|lo n c x IHx|g x1 IH1 x2 IH2];
      simpl; intros s s1 p same; auto.
    - apply (same (v, p)). auto.
    - apply (same (root a, acc_path ie a p)). auto.
    - apply apply_op_agree. intros q q_arg. apply IHx. intros l reads. apply same.
      apply in_flat_map. eauto.
    - destruct p as [|[i| |] q]; auto.
    - destruct p as [|[i| |] q]; auto. destruct (_ && _); auto.
    - destruct (guard_val sg ie g); auto.
  Qed.

  Lemma read_below K k ie ie1 (s : store K) x : forall p,
    (forall i, i < k -> ie i = ie1 i) -> view_below k x ->
    read sg K ie s x p = read sg K ie1 s x p.
  Proof.
    induction x as [v|a|c|o x IHx|x1 IH1 x2 IH2|m x IHx|lo n c x IHx|g x1 IH1 x2 IH2];
      simpl; intros p same below; auto.
    - rewrite (acc_path_below k ie ie1 same a p below). reflexivity.
    - apply apply_op_agree. intros q _. apply IHx; auto.
    - destruct p as [|[i| |] q]; auto; [apply IH1 | apply IH2]; tauto.
    - rewrite (lay_path_below k ie ie1 same m p) by tauto. apply IHx; tauto.
    - destruct p as [|[i| |] q]; auto. destruct (_ && _); auto.
    - rewrite (guard_val_below k ie ie1 same g) by tauto.
      destruct (guard_val sg ie1 g); [apply IH1 | apply IH2]; tauto.
  Qed.
End FOOTPRINT.
