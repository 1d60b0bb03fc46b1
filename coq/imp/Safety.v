(** Safe commands: no access out of bounds, no unsafe index arithmetic, no race.

    [ty_env]             the type of each variable in scope
    [acc_safe]           the index arithmetic of an acceptor, at a path, is safe
    [view_safe]          so is that of a view, and every cell it reads is in bounds
    [acc_ok] [view_ok]   at every path of a type
    [disjoint_iterations]  no iteration touches what another one writes
    [comm_safe]          safe commands; loops that run concurrently are race-free *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax imp.Semantics.
From Vouch Require Import imp.Footprint imp.Frame.
Import ListNotations.

Definition ty_env : Type := nat -> ty.

Definition set_ty (g : ty_env) (v : nat) (d : ty) : ty_env :=
  fun w => if w =? v then d else g w.

Definition concurrent (k : kind) : bool :=
  match k with Par | Vec => true | Seq | Unr => false end.

Section SAFETY.
  Context (sg : nat -> nat).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).
  Notation acc_path := (acc_path sg).

  Definition step_safe (ie : nat -> nat) (s : astep) (p : path) : Prop :=
    match s with
    | AtStep i => ixe_safe sg ie i
    | LayStep l => lay_inverse_safe sg l p
    | FstStep | SndStep | OffStep _ => True
    end.

  Fixpoint acc_safe (ie : nat -> nat) (a : acc) (p : path) : Prop :=
    match a with
    | AVar _ => True
    | AStep s a1 => step_safe ie s p /\ acc_safe ie a1 (step_path sg ie s p)
    end.

  Definition acc_in (g : ty_env) (ie : nat -> nat) (a : acc) (p : path) : Prop :=
    inb (ty_val (g (root a))) (acc_path ie a p) /\ acc_safe ie a p.

  Fixpoint view_safe (g : ty_env) (ie : nat -> nat) (x : view) (p : path) : Prop :=
    match x with
    | IVar v => inb (ty_val (g v)) p
    | IAcc a => acc_in g ie a p
    | ICst _ => True
    | IOp o x1 => forall q, In q (op_args o) -> view_safe g ie x1 q
    | IPair x1 x2 =>
        match p with
        | Lft :: q => view_safe g ie x1 q
        | Rgt :: q => view_safe g ie x2 q
        | _ => True
        end
    | ILay l x1 => lay_safe sg ie l p /\ view_safe g ie x1 (lay_path sg ie l p)
    | IPad lo n _ x1 =>
        match p with
        | Ix i :: q =>
            if (size_val lo <=? i) && (i <? size_val lo + size_val n)
            then view_safe g ie x1 (Ix (i - size_val lo) :: q)
            else True
        | _ => True
        end
    | IIf c x1 x2 =>
        guard_safe sg ie c /\
        if guard_val sg ie c then view_safe g ie x1 p else view_safe g ie x2 p
    end.

  Definition acc_ok (g : ty_env) (ie : nat -> nat) (a : acc) (D : sty) : Prop :=
    forall p, inb D p -> acc_in g ie a p.

  Definition view_ok (g : ty_env) (ie : nat -> nat) (x : view) (D : sty) : Prop :=
    forall p, inb D p -> view_safe g ie x p.

  Definition disjoint_iterations (i : nat) (n : nat) (c : comm) (ie : nat -> nat) : Prop :=
    forall j j1 l, j < n -> j1 < n -> j <> j1 -> comm_writes sg c (bind ie i j) l ->
      ~ comm_reads sg c (bind ie i j1) l /\ ~ comm_writes sg c (bind ie i j1) l.

  Fixpoint comm_safe (g : ty_env) (c : comm) (ie : nat -> nat) : Prop :=
    match c with
    | CSkip => True
    | CSeq c1 c2 => comm_safe g c1 ie /\ comm_safe g c2 ie
    | CAssign a x => acc_in g ie a [] /\ view_safe g ie x []
    | CNew v d c1 => comm_safe (set_ty g v d) c1 ie
    | CFor k i n c1 =>
        (forall j, j < size_val n -> comm_safe g c1 (bind ie i j)) /\
        (concurrent k = true -> disjoint_iterations i (size_val n) c1 ie)
    end.

  (** Types of other variables and loops from k on do not matter. *)
  Section AGREE.
    Context (k : nat) (g g1 : ty_env) (ie ie1 : nat -> nat).
    Context (SAME : forall i, i < k -> ie i = ie1 i).

    Lemma ixe_safe_below e : ixe_below k e -> ixe_safe sg ie e -> ixe_safe sg ie1 e.
    Proof using SAME.
      induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
        simpl; intros below safe; auto; destruct below as [below_a below_b].
      - tauto.
      - destruct safe as (safe_a & safe_b & le).
        rewrite <- (ixe_val_below sg k ie ie1 SAME a below_a),
          <- (ixe_val_below sg k ie ie1 SAME b below_b). tauto.
      - tauto.
      - destruct safe as (safe_a & safe_b & positive).
        rewrite <- (ixe_val_below sg k ie ie1 SAME b below_b). tauto.
      - destruct safe as (safe_a & safe_b & positive).
        rewrite <- (ixe_val_below sg k ie ie1 SAME b below_b). tauto.
    Qed.

    Lemma guard_safe_below c : guard_below k c -> guard_safe sg ie c -> guard_safe sg ie1 c.
    Proof using SAME. induction c; simpl; intuition auto using ixe_safe_below. Qed.

    Lemma lay_safe_below l : forall p,
      lay_below k l -> lay_safe sg ie l p -> lay_safe sg ie1 l p.
    Proof using SAME.
      induction l as [| |i| | |n m|n m| |n|w k1 s d|o n|n|l IHl]; simpl; intros p below safe;
        auto using ixe_safe_below.
      destruct p as [|t q]; auto.
    Qed.

    Lemma acc_safe_below a : forall p,
      acc_below k a -> acc_safe ie a p -> acc_safe ie1 a p.
    Proof using SAME.
      induction a as [v|s a IHa]; simpl; intros p below safe; [exact I|].
      destruct safe as [safe_s safe_a]. destruct s as [i| | |n|l]; simpl in *; auto.
      destruct below as [below_i below_a].
      rewrite <- (ixe_val_below sg k ie ie1 SAME i below_i). auto using ixe_safe_below.
    Qed.

    Lemma acc_in_agree a p :
      acc_below k a -> g (root a) = g1 (root a) -> acc_in g ie a p -> acc_in g1 ie1 a p.
    Proof using SAME.
      intros below same [inside safe]. split; [|apply (acc_safe_below a p below safe)].
      rewrite <- same, <- (acc_path_below sg k ie ie1 SAME a p below). exact inside.
    Qed.

    Lemma view_safe_agree x : forall p,
      view_below k x -> (forall v, occurs x v -> g v = g1 v) ->
      view_safe g ie x p -> view_safe g1 ie1 x p.
    Proof using SAME.
      induction x as [v|a|c|o x IHx|x1 IH1 x2 IH2|l x IHx|lo n c x IHx|c x1 IH1 x2 IH2];
        simpl; intros p below same safe; auto.
      - rewrite <- same by reflexivity. exact safe.
      - apply acc_in_agree; auto.
      - destruct p as [|[i| |] q]; auto; [apply IH1 | apply IH2]; auto; tauto.
      - destruct below as [below_l below_x]. destruct safe as [safe_l safe_x].
        rewrite <- (lay_path_below sg k ie ie1 SAME l p below_l).
        split; [apply (lay_safe_below l p below_l safe_l) | apply IHx; auto].
      - destruct p as [|[i| |] q]; auto. destruct (_ && _); auto.
      - destruct below as (below_c & below1 & below2). destruct safe as [safe_c safe].
        rewrite <- (guard_val_below sg k ie ie1 SAME c below_c).
        split; [apply (guard_safe_below c below_c safe_c)|].
        destruct (guard_val sg ie c); [apply IH1 | apply IH2]; auto.
    Qed.
  End AGREE.

  Lemma acc_ok_at g ie k j a n D :
    acc_below k a -> j < n -> acc_ok g ie a (SAry n D) -> acc_ok g (bind ie k j) (acc_at a k) D.
  Proof.
    intros below j_lt OK p p_in. destruct (OK (Ix j :: p)) as [inside safe]; [simpl; auto|].
    split.
    - rewrite acc_path_at by exact below. exact inside.
    - simpl. rewrite bind_same. split; [exact I|].
      apply (acc_safe_below k ie); [|exact below|exact safe].
      intros i i_lt. symmetry. apply bind_below, i_lt.
  Qed.

  Lemma acc_ok_step g ie s a D D1 :
    step_ok sg ie s D D1 -> (forall p, inb D1 p -> step_safe ie s p) ->
    acc_ok g ie a D -> acc_ok g ie (AStep s a) D1.
  Proof.
    intros [INTO _] step_is_safe OK p p_in.
    destruct (OK _ (INTO p p_in)) as [inside safe].
    split; simpl; auto.
  Qed.

  Lemma acc_ok_bind g ie k j a D :
    acc_below k a -> acc_ok g ie a D -> acc_ok g (bind ie k j) a D.
  Proof.
    intros below OK p p_in. apply (acc_in_agree k g g ie); auto.
    intros i i_lt. symmetry. apply bind_below, i_lt.
  Qed.

  Lemma acc_ok_var g ie v D : ty_val (g v) = D -> acc_ok g ie (AVar v) D.
  Proof. intros same p p_in. split; [simpl; rewrite same; exact p_in | exact I]. Qed.
End SAFETY.
