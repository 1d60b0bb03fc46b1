(** What tags mean.

    [good t p]                a view tagged t is fresh at p
    [tag_reads t A p l]       at p, a view tagged t may read the cell l of the acceptor's
                              root, where A sends the acceptor's paths to the root's
    [tag_fits t D D0]         t makes sense for a view of type D and an acceptor of type D0
    [touches t ie a D0 D x]   view x of type D touches the root of a as t says
    [eval_agree]              a term that reads what is fresh only depends on that only
    [cold_write]              with every variable cold, everything is accepted *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame lower.Align.
Import ListNotations.

Fixpoint good (t : tag) (p : path) : bool :=
  match t with
  | Cold | Aligned => true
  | Row t1 => match p with Ix _ :: q => good t1 q | _ => true end
  | Both t1 t2 => match p with Lft :: q => good t1 q | Rgt :: q => good t2 q | _ => true end
  | Any => false
  end.

Fixpoint tag_reads (t : tag) (A : path -> path) (p l : path) : Prop :=
  match t with
  | Cold => False
  | Aligned => l = A p
  | Row t1 =>
      match p with Ix i :: q => tag_reads t1 (fun r => A (Ix i :: r)) q l | _ => False end
  | Both t1 t2 =>
      match p with
      | Lft :: q => tag_reads t1 A q l
      | Rgt :: q => tag_reads t2 A q l
      | _ => False
      end
  | Any => True
  end.

Fixpoint tag_fits (t : tag) (D D0 : sty) : Prop :=
  match t with
  | Cold | Any => True
  | Aligned => D = D0
  | Row t1 =>
      match D, D0 with SAry n A, SAry m B => n = m /\ tag_fits t1 A B | _, _ => False end
  | Both t1 t2 =>
      match D with SPair A B => tag_fits t1 A D0 /\ tag_fits t2 B D0 | _ => False end
  end.

Lemma nth_cons_tag x t T : nth x (cons_tag t T) Cold = nth x (t :: T) Cold.
Proof. destruct t, T, x as [|[|x]]; reflexivity. Qed.

Lemma nth_lowered x T : nth x (map lowered T) Cold = lowered (nth x T Cold).
Proof. exact (map_nth lowered T Cold x). Qed.

Lemma is_cold_eq t : is_cold t = true -> t = Cold.
Proof. destruct t; simpl; congruence. Qed.

Lemma no_any_good t : forall p, no_any t = true -> good t p = true.
Proof.
  induction t as [| |t IHt|t1 IH1 t2 IH2|]; simpl; intros p no; auto.
  - destruct p as [|[i| |] q]; auto.
  - apply andb_true_iff in no as [no1 no2]. destruct p as [|[i| |] q]; auto.
Qed.

Lemma tag_reads_ext t : forall A B p l,
  (forall q, A q = B q) -> tag_reads t A p l -> tag_reads t B p l.
Proof.
  induction t as [| |t IHt|t1 IH1 t2 IH2|]; simpl; intros A B p l same reads; auto.
  - rewrite <- same. exact reads.
  - destruct p as [|[i| |] q]; auto. apply (IHt _ _ _ _ (fun r => same (Ix i :: r)) reads).
  - destruct p as [|[i| |] q]; eauto.
Qed.

Lemma tag_reads_inb t : forall A p l D D0,
  no_any t = true -> tag_fits t D D0 -> inb D p -> tag_reads t A p l ->
  exists q, inb D0 q /\ l = A q.
Proof.
  induction t as [| |t IHt|t1 IH1 t2 IH2|]; simpl; intros A p l D D0 no fits p_in reads.
  - tauto.
  - exists p. rewrite <- fits. auto.
  - destruct D as [|n D|D1 D2]; try tauto. destruct D0 as [|m D0|E1 E2]; try tauto.
    destruct p as [|[i| |] q]; try tauto. destruct p_in as [i_lt q_in].
    destruct fits as [n_m fits].
    destruct (IHt _ q l D D0 no fits q_in reads) as (r & r_in & same).
    exists (Ix i :: r). simpl. rewrite <- n_m. auto.
  - apply andb_true_iff in no as [no1 no2]. destruct D as [|n D|D1 D2]; try tauto.
    destruct fits as [fits1 fits2]. destruct p as [|[i| |] q]; simpl in p_in; try tauto.
    + apply (IH1 A q l D1 D0); auto.
    + apply (IH2 A q l D2 D0); auto.
  - discriminate.
Qed.

Lemma tag_reads_aligned t : forall A p l, is_aligned t = true -> tag_reads t A p l -> l = A p.
Proof.
  induction t as [| |t IHt|t1 IH1 t2 IH2|]; simpl; intros A p l al reads;
    try discriminate; try tauto.
  destruct p as [|[i| |] q]; try tauto. apply (IHt _ _ _ al reads).
Qed.

(** Lowered tags. *)

Lemma lowered_fits t : forall D D0 D1, tag_fits t D D0 -> tag_fits (lowered t) D D1.
Proof.
  induction t as [| |t IHt|t1 IH1 t2 IH2|]; simpl; intros D D0 D1 fits; auto.
  destruct D; try tauto. destruct fits. eauto.
Qed.

Lemma lowered_reads t : forall A B p l, tag_reads t A p l -> tag_reads (lowered t) B p l.
Proof.
  induction t as [| |t IHt|t1 IH1 t2 IH2|]; simpl; intros A B p l reads; auto.
  destruct p as [|[i| |] q]; try tauto; eauto.
Qed.

Lemma lowered_good t : forall p, good (lowered t) p = true -> good t p = true.
Proof.
  induction t as [| |t IHt|t1 IH1 t2 IH2|]; simpl; intros p g; auto; try discriminate.
  destruct p as [|[i| |] q]; auto.
Qed.

Lemma lowered_none t : forall A p l,
  good (lowered t) p = true -> tag_reads t A p l -> False.
Proof.
  induction t as [| |t IHt|t1 IH1 t2 IH2|]; simpl; intros A p l g reads; auto; try discriminate.
  destruct p as [|[i| |] q]; try tauto; eauto.
Qed.

Lemma lowered_lowered t : lowered (lowered t) = lowered t.
Proof. induction t; simpl; congruence. Qed.

(** Compound tags. *)

Lemma tag_both_reads t u A p l : tag_reads (Both t u) A p l -> tag_reads (tag_both t u) A p l.
Proof.
  unfold tag_both. destruct t, u; simpl; auto; destruct p as [|[i| |] q]; auto.
Qed.

Lemma tag_both_fits t u D1 D2 D0 :
  tag_fits t D1 D0 -> tag_fits u D2 D0 -> tag_fits (tag_both t u) (SPair D1 D2) D0.
Proof. unfold tag_both. destruct (is_cold t && is_cold u); simpl; auto. Qed.

Lemma unrow_reads t A i q l :
  no_any (unrow t) = true -> tag_reads t A (Ix i :: q) l ->
  tag_reads (unrow t) (fun r => A (Ix i :: r)) q l.
Proof. destruct t; simpl; auto; discriminate. Qed.

Lemma unrow_fits t n D D0 :
  no_any (unrow t) = true -> tag_fits t (SAry n D) D0 ->
  t = Cold \/ exists E, D0 = SAry n E /\ tag_fits (unrow t) D E.
Proof.
  destruct t as [| |t| |]; simpl; intros no fits; auto; try discriminate; right.
  - exists D. auto.
  - destruct D0 as [|m E|E1 E2]; try tauto. destruct fits as [n_m fits].
    exists E. rewrite n_m. auto.
Qed.

Section TOUCHES.
  Context (sg : nat -> nat).

  Definition touches (t : tag) (ie : nat -> nat) (a : acc) (D0 D : sty) (x : view) : Prop :=
    tag_fits t D D0 /\
    forall p l, inb D p -> In l (view_reads sg ie x p) -> fst l = root a ->
      tag_reads t (acc_path sg ie a) p (snd l).

  Lemma touches_pair t u ie a D0 D1 D2 x y :
    touches t ie a D0 D1 x -> touches u ie a D0 D2 y ->
    touches (tag_both t u) ie a D0 (SPair D1 D2) (IPair x y).
  Proof.
    intros [fits1 X] [fits2 Y]. split; [apply tag_both_fits; assumption|].
    intros p l p_in reads same_root. apply tag_both_reads.
    destruct p as [|[i| |] q]; simpl in *; auto.
  Qed.

  Lemma touches_either t u ie a D0 D g x y :
    touches t ie a D0 D x -> touches u ie a D0 D y ->
    touches (tag_either t u) ie a D0 D (IIf g x y).
  Proof.
    intros [fits1 X] [fits2 Y]. unfold tag_either.
    destruct (is_cold t) eqn:cold_t; [|destruct (is_cold u) eqn:cold_u].
    - apply is_cold_eq in cold_t. rewrite cold_t in X. simpl in X. split; [exact fits2|].
      simpl. intros p l p_in reads same_root. destruct (guard_val sg ie g); [|auto].
      destruct (X p l p_in reads same_root).
    - apply is_cold_eq in cold_u. rewrite cold_u in Y. simpl in Y. split; [exact fits1|].
      simpl. intros p l p_in reads same_root. destruct (guard_val sg ie g); [auto|].
      destruct (Y p l p_in reads same_root).
    - split; simpl; auto.
  Qed.

  (** A view of which any part may be read at any path. *)
  Lemma touches_cold_or_any t ie a D0 S D x y :
    (forall p l, inb D p -> In l (view_reads sg ie y p) ->
       exists q, inb S q /\ In l (view_reads sg ie x q)) ->
    touches t ie a D0 S x -> touches (cold_or_any t) ie a D0 D y.
  Proof.
    intros SUB [_ X]. destruct t; simpl; split; simpl; auto.
    intros p l p_in reads same_root. destruct (SUB p l p_in reads) as (q & q_in & reads_q).
    exact (X q l q_in reads_q same_root).
  Qed.

  Lemma op_args_inb o q : In q (op_args o) -> inb (op_type o) q.
  Proof. destruct o; simpl; intuition; subst; simpl; auto. Qed.

  Lemma touches_op t ie a D0 o x :
    touches t ie a D0 (op_type o) x -> touches (cold_or_any t) ie a D0 SNum (IOp o x).
  Proof.
    apply touches_cold_or_any. intros p l _ reads.
    simpl in reads. apply in_flat_map in reads as (q & q_arg & reads).
    exists q. split; [apply op_args_inb, q_arg | exact reads].
  Qed.

  Lemma touches_pad t ie a D0 lo n m c A x :
    touches t ie a D0 (SAry (size_val sg n) A) x ->
    touches (cold_or_any t) ie a D0 (SAry m A) (IPad lo n c x).
  Proof.
    apply touches_cold_or_any. intros p l p_in reads.
    destruct p as [|[i| |] q]; simpl in *; try tauto.
    destruct (Nat.leb_spec (size_val sg lo) i); simpl in reads; [|tauto].
    destruct (Nat.ltb_spec i (size_val sg lo + size_val sg n)); simpl in reads; [|tauto].
    eexists. split; [|exact reads]. simpl. split; [lia | tauto].
  Qed.

  Lemma touches_fst t u ie a D0 D E x :
    touches (Both t u) ie a D0 (SPair D E) x -> touches t ie a D0 D (ILay LFst x).
  Proof.
    intros [[fits _] X]. split; [exact fits|]. intros p l p_in reads same_root.
    exact (X (Lft :: p) l p_in reads same_root).
  Qed.

  Lemma touches_snd t u ie a D0 D E x :
    touches (Both t u) ie a D0 (SPair E D) x -> touches u ie a D0 D (ILay LSnd x).
  Proof.
    intros [[_ fits] X]. split; [exact fits|]. intros p l p_in reads same_root.
    exact (X (Rgt :: p) l p_in reads same_root).
  Qed.

  Lemma touches_zip t u ie a D0 n D1 D2 x :
    touches (Both t u) ie a D0 (SPair (SAry n D1) (SAry n D2)) x ->
    touches (tag_zip t u) ie a D0 (SAry n (SPair D1 D2)) (ILay LZip x).
  Proof.
    intros [[fits1 fits2] X]. unfold tag_zip.
    destruct (is_cold t && is_cold u) eqn:both_cold;
      [|destruct (no_any (unrow t) && no_any (unrow u)) eqn:rows].
    - apply andb_true_iff in both_cold as [cold_t cold_u].
      apply is_cold_eq in cold_t, cold_u. rewrite cold_t, cold_u in X.
      split; [exact I|]. intros [|[i| |] [|[j| |] q]] l p_in reads same_root; simpl in p_in; try tauto.
      + apply (X (Lft :: Ix i :: q) l); simpl; auto.
      + apply (X (Rgt :: Ix i :: q) l); simpl; auto.
    - apply andb_true_iff in rows as [row_t row_u]. split.
      + destruct (unrow_fits _ _ _ _ row_t fits1) as [cold_t|(E & D0_E & row1)];
        destruct (unrow_fits _ _ _ _ row_u fits2) as [cold_u|(F & D0_F & row2)].
        * rewrite cold_t, cold_u in both_cold. discriminate.
        * rewrite cold_t, D0_F. simpl. split; [reflexivity|].
          apply (tag_both_fits Cold); simpl; auto.
        * rewrite cold_u, D0_E. simpl. split; [reflexivity|].
          apply (tag_both_fits _ Cold); simpl; auto.
        * rewrite D0_E. rewrite D0_E in D0_F. injection D0_F as E_F. rewrite <- E_F in row2.
          simpl. split; [reflexivity|]. apply tag_both_fits; assumption.
      + intros [|[i| |] [|[j| |] q]] l p_in reads same_root;
          simpl in p_in; try tauto.
        * simpl. apply tag_both_reads. apply unrow_reads; [exact row_t|].
          apply (X (Lft :: Ix i :: q) l); simpl; auto.
        * simpl. apply tag_both_reads. apply unrow_reads; [exact row_u|].
          apply (X (Rgt :: Ix i :: q) l); simpl; auto.
    - split; simpl; auto.
  Qed.

  Lemma tag_lay_cases l t :
    (exists u w, l = LFst /\ t = Both u w) \/ (exists u w, l = LSnd /\ t = Both u w) \/
    (exists u w, l = LZip /\ t = Both u w) \/ tag_lay l t = cold_or_any t.
  Proof. destruct l, t; simpl; eauto 10. Qed.

  Lemma touches_lay t ie a D0 l S D x :
    lay_ok sg ie l S D -> touches t ie a D0 S x ->
    touches (tag_lay l t) ie a D0 D (ILay l x).
  Proof.
    intros [SHAPE OK] X.
    destruct (tag_lay_cases l t)
      as [(u & w & l_eq & t_eq)|[(u & w & l_eq & t_eq)|[(u & w & l_eq & t_eq)|r]]].
    - rewrite l_eq, t_eq in *. destruct SHAPE as [E S_eq]. rewrite S_eq in X.
      exact (touches_fst _ _ _ _ _ _ _ _ X).
    - rewrite l_eq, t_eq in *. destruct SHAPE as [E S_eq]. rewrite S_eq in X.
      exact (touches_snd _ _ _ _ _ _ _ _ X).
    - rewrite l_eq, t_eq in *. destruct SHAPE as (n & A & B & S_eq & D_eq).
      rewrite S_eq in X. rewrite D_eq. exact (touches_zip _ _ _ _ _ _ _ _ _ X).
    - rewrite r. refine (touches_cold_or_any t ie a D0 S D x _ _ X).
      intros p q p_in reads. exists (lay_path sg ie l p).
      split; [apply OK, p_in | exact reads].
  Qed.

  Lemma touches_lowered t ie ie1 a b D0 D1 D x y :
    root a = root b ->
    (forall p, view_reads sg ie1 y p = view_reads sg ie x p) ->
    touches t ie a D0 D x -> touches (lowered t) ie1 b D1 D y.
  Proof.
    intros same_root same_reads [fits X]. split; [apply (lowered_fits t D D0 D1 fits)|].
    intros p l p_in reads is_root. rewrite same_reads in reads.
    apply (lowered_reads t (acc_path sg ie a)). apply X; congruence.
  Qed.
End TOUCHES.

(** A term whose variables are all cold. *)

Lemma tag_lay_cold l : tag_lay l Cold = Cold.
Proof. destruct l; reflexivity. Qed.

Lemma cold_view_tag e : view_tag [] e = Cold.
Proof.
  induction e as [x|d0 c|o e IHe|e1 IH1 e2 IH2|l e IHe|lo n hi c e IHe|g e1 IH1 e2 IH2
    |k n d1 d2 f IHf e IHe|w n d1 d2 f IHf i IHi e IHe|e1 IH1 e2 IH2|d0 e IHe
    |n m d0 e1 IH1 e2 IH2];
    simpl; auto.
  - destruct x; reflexivity.
  - rewrite IHe. reflexivity.
  - rewrite IH1, IH2. reflexivity.
  - rewrite IHe. apply tag_lay_cold.
  - rewrite IHe. reflexivity.
  - rewrite IH1, IH2. reflexivity.
  - rewrite IH1. simpl. exact IH2.
Qed.

Lemma cold_reads e : reads_fresh [] e = true.
Proof.
  induction e as [x|d0 c|o e IHe|e1 IH1 e2 IH2|l e IHe|lo n hi c e IHe|g e1 IH1 e2 IH2
    |k n d1 d2 f IHf e IHe|w n d1 d2 f IHf i IHi e IHe|e1 IH1 e2 IH2|d0 e IHe
    |n m d0 e1 IH1 e2 IH2];
    simpl; try apply orb_true_r;
    rewrite ?IHe, ?IH1, ?IH2, ?IHf, ?IHi; simpl; rewrite ?orb_true_r; auto.
  destruct x; reflexivity.
Qed.

Lemma cold_write e : aligned_write [] e = true.
Proof.
  induction e as [x|d0 c|o e IHe|e1 IH1 e2 IH2|l e IHe|lo n hi c e IHe|g e1 IH1 e2 IH2
    |k n d1 d2 f IHf e IHe|w n d1 d2 f IHf i IHi e IHe|e1 IH1 e2 IH2|d0 e IHe
    |n m d0 e1 IH1 e2 IH2];
    cbn -[reads_fresh view_tag is_scalar]; rewrite ?cold_reads, ?cold_view_tag; auto.
  - cbn. rewrite IH1, IH2. reflexivity.
  - destruct (invertible l); [exact IHe | reflexivity].
  - cbn [is_aligned]. apply orb_true_r.
  - destruct (is_into w && aligned_write [Cold; Aligned] f) eqn:once; [|reflexivity].
    apply andb_true_iff in once as [_ once].
    rewrite IHi, once. reflexivity.
  - rewrite IH1, IH2. reflexivity.
Qed.

(** The meaning of a term depends on what it reads fresh only. *)
Section EVAL.
  Context (sg : nat -> nat) (K : scalars).

  Notation eval := (eval sg K).

  Definition agree (T : list tag) (vals vals1 : list (value K)) : Prop :=
    forall x p, good (nth x T Cold) p = true ->
      nth x vals (zero_value K) p = nth x vals1 (zero_value K) p.

  Lemma agree_cons T vals vals1 (v w : value K) :
    (forall p, v p = w p) -> agree T vals vals1 ->
    agree (cons_tag Cold T) (v :: vals) (w :: vals1).
  Proof.
    intros same agree_T x p. rewrite nth_cons_tag.
    destruct x as [|x]; simpl; auto.
  Qed.

  Lemma iterate_agree n (F G : nat -> value K -> value K) :
    (forall j v w, (forall p, v p = w p) -> forall p, F j v p = G j w p) ->
    forall v w, (forall p, v p = w p) -> forall p, iterate n F v p = iterate n G w p.
  Proof. intros step v w same. induction n as [|n IHn]; simpl; auto. Qed.

  Lemma part_agree T e : is_part e = true -> forall iv vals vals1 p,
    agree T vals vals1 -> good (view_tag T e) p = true ->
    eval iv vals e p = eval iv vals1 e p.
  Proof.
    induction e as [x|d0 c|o e IHe|e1 IH1 e2 IH2|l e IHe|lo n hi c e IHe|g e1 IH1 e2 IH2
      |k n d1 d2 f IHf e IHe|w n d1 d2 f IHf i IHi e IHe|e1 IH1 e2 IH2|d0 e IHe
      |n m d0 e1 IH1 e2 IH2];
      simpl; intros part iv vals vals1 p agree_T is_good; try discriminate.
    - apply agree_T, is_good.
    - assert (inner : is_part e = true) by (destruct l; auto; discriminate).
      apply (IHe inner); [exact agree_T|].
      destruct l; try discriminate; simpl in *; destruct (view_tag T e); simpl in *; auto;
        discriminate.
  Qed.

  Lemma eval_agree e : forall T iv vals vals1,
    reads_fresh T e = true -> agree T vals vals1 ->
    forall p, eval iv vals e p = eval iv vals1 e p.
  Proof.
    induction e as [x|d c|o e IHe|e1 IH1 e2 IH2|l e IHe|lo n hi c e IHe|g e1 IH1 e2 IH2
      |k n d1 d2 f IHf e IHe|w n d1 d2 f IHf i IHi e IHe|e1 IH1 e2 IH2|d e IHe
      |n m d e1 IH1 e2 IH2];
      cbn [reads_fresh]; intros T iv vals vals1 fresh agree_T p;
      apply orb_true_iff in fresh as [part|fresh];
      try (apply andb_true_iff in part as [part no];
           apply (part_agree T); auto; apply no_any_good, no).
    - apply agree_T, no_any_good, fresh.
    - reflexivity.
    - simpl. apply apply_op_agree. intros q _. apply (IHe T); assumption.
    - apply andb_true_iff in fresh as [fresh1 fresh2]. simpl.
      destruct p as [|[i| |] q]; auto; [apply (IH1 T) | apply (IH2 T)]; assumption.
    - simpl. apply (IHe T); assumption.
    - simpl. destruct p as [|[i| |] q]; auto.
      destruct (_ && _); auto. apply (IHe T); assumption.
    - apply andb_true_iff in fresh as [fresh1 fresh2]. simpl.
      destruct (guard_val sg (index_env iv) g); [apply (IH1 T) | apply (IH2 T)]; assumption.
    - apply andb_true_iff in fresh as [fresh_f fresh_e]. simpl.
      destruct p as [|[j| |] q]; auto. apply (IHf (cons_tag Cold T)); [exact fresh_f|].
      apply agree_cons; [|exact agree_T]. intros r. apply (IHe T); assumption.
    - apply andb_true_iff in fresh as [fresh fresh_e].
      apply andb_true_iff in fresh as [fresh_f fresh_i]. simpl.
      apply iterate_agree; [|apply (IHi T); assumption].
      intros j v v1 same q. apply (IHf _ _ _ _ fresh_f).
      apply agree_cons; [|apply agree_cons; assumption].
      intros r. apply (IHe T); assumption.
    - apply andb_true_iff in fresh as [fresh1 fresh2]. simpl.
      apply (IH2 (cons_tag Cold T)); [exact fresh2|].
      apply agree_cons; [|exact agree_T]. intros r. apply (IH1 T); assumption.
    - simpl. apply (IHe T); assumption.
    - apply andb_true_iff in fresh as [fresh1 fresh2]. simpl.
      destruct p as [|[i| |] q]; auto.
      destruct (i <? size_val sg n); [apply (IH1 T) | apply (IH2 T)]; assumption.
  Qed.
End EVAL.
