(** What a kernel computes, as a term that reads like the printed statement, by computation.

    [statement]    scalar terms: cells of inputs, folds of scalars, conditions, named values
    [statement_val]   what they denote; it computes to the statement that people read
    [states]       a boolean: the statement says what the array term does, at a path
    [states_sound] so the cell at that path has the value of the statement
    [reads]        the same, of the memory in which a certified text ends
    [computes_by]  the tactic of the printed statements

    A statement stands at a depth d: index variables, accumulators and named values are
    numbered from outside, the next one bound is number d. A [world] has their values. *)

From Coq Require Import Arith NArith Lia List Bool String.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.IndexCheck.
From Vouch Require Import imp.Flat lower.Flatten lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Certificate certify.Reading.
Import ListNotations.

Inductive statement : Type :=
| RInput (v : nat) (address : ixe)
| RScalar (l : nat)
| RValue (l : nat) (indices : list ixe)
| RConst (c : const)
| ROp1 (o : uop) (r : statement)
| ROp2 (o : bop) (r s : statement)
| ROp3 (o : top) (r s t : statement)
| RPad (lo i j hi : ixe) (inside : statement) (c : const)   (* inside, if lo <= i, j < hi *)
| RIf (g : guard) (r s : statement)
| RFold (n : ixe) (start step : statement)
| RLet (k : nat) (value body : statement).                  (* value has k indices *)

Record world (K : scalars) : Type := {
  w_index : nat -> nat;
  w_scalar : nat -> num K;
  w_value : nat -> list nat -> num K
}.

Arguments w_index {K} w _.
Arguments w_scalar {K} w _.
Arguments w_value {K} w _ _.

Definition with_step {K} (w : world K) (d k : nat) (s : num K) : world K := {|
  w_index := fun l => if Nat.eqb l d then k else w_index w l;
  w_scalar := fun l => if Nat.eqb l d then s else w_scalar w l;
  w_value := w_value w |}.

Definition with_indices {K} (w : world K) (d : nat) (i : list nat) : world K := {|
  w_index := fun l => if Nat.ltb l d then w_index w l else nth (l - d) i 0;
  w_scalar := w_scalar w;
  w_value := w_value w |}.

Definition with_value {K} (w : world K) (d : nat) (f : list nat -> num K) : world K := {|
  w_index := w_index w;
  w_scalar := w_scalar w;
  w_value := fun l => if Nat.eqb l d then f else w_value w l |}.

Section VALUE.
  Context (sg : nat -> nat) (K : scalars) (m : mem K).

  Fixpoint statement_val (d : nat) (w : world K) (r : statement) : num K :=
    match r with
    | RInput v a => m v (ixe_val sg (w_index w) a)
    | RScalar l => w_scalar w l
    | RValue l i => w_value w l (map (ixe_val sg (w_index w)) i)
    | RConst c => cst K c
    | ROp1 o a => op1 K o (statement_val d w a)
    | ROp2 o a b => op2 K o (statement_val d w a) (statement_val d w b)
    | ROp3 o a b c => op3 K o (statement_val d w a) (statement_val d w b) (statement_val d w c)
    | RPad lo i j hi a c =>
        if (ixe_val sg (w_index w) lo <=? ixe_val sg (w_index w) i) &&
           (ixe_val sg (w_index w) j <? ixe_val sg (w_index w) hi)
        then statement_val d w a else cst K c
    | RIf g a b =>
        if guard_val sg (w_index w) g then statement_val d w a else statement_val d w b
    | RFold n start step =>
        iterate (ixe_val sg (w_index w) n)
          (fun k s => statement_val (S d) (with_step w d k s) step) (statement_val d w start)
    | RLet k value body =>
        statement_val (S d)
          (with_value w d (fun i => statement_val (d + k) (with_indices w d i) value)) body
    end.
End VALUE.

(** Index variables of the array term are replaced by what they stand for. *)

Definition nowhere : ixe := XSize (SConst 0).

Fixpoint index_at (iv : list ixe) (e : ixe) : ixe :=
  match e with
  | XVar i => nth i iv nowhere
  | XSize s => XSize s
  | XAdd a b => XAdd (index_at iv a) (index_at iv b)
  | XSub a b => XSub (index_at iv a) (index_at iv b)
  | XMul a b => XMul (index_at iv a) (index_at iv b)
  | XDiv a b => XDiv (index_at iv a) (index_at iv b)
  | XMod a b => XMod (index_at iv a) (index_at iv b)
  end.

Fixpoint layout_at (iv : list ixe) (l : lay) : lay :=
  match l with
  | LAt i => LAt (index_at iv i)
  | LMap l1 => LMap (layout_at iv l1)
  | LFst | LSnd | LZip | LUnzip | LSplit _ _ | LJoin _ _ | LTrans | LRev _ | LSlide _ _ _ _
  | LSlice _ _ | LRepeat _ => l
  end.

(** The guard of the term, and the one stated; [known] are differences that do not stop at zero. *)
Fixpoint guard_states (known iv : list ixe) (g h : guard) : bool :=
  match g, h with
  | GLess a b, GLess a1 b1 | GEqual a b, GEqual a1 b1 =>
      index_same known (index_at iv a) a1 && index_same known (index_at iv b) b1
  | GAnd g1 g2, GAnd h1 h2 | GOr g1 g2, GOr h1 h2 =>
      guard_states known iv g1 h1 && guard_states known iv g2 h2
  | GNot g1, GNot h1 => guard_states known iv g1 h1
  | _, _ => false
  end.

Definition step_same (known : list ixe) (s t : sstep) : bool :=
  match s, t with
  | XIx i, XIx j => index_same known i j
  | XLft, XLft | XRgt, XRgt => true
  | _, _ => false
  end.

Fixpoint path_same (known : list ixe) (p q : spath) : bool :=
  match p, q with
  | [], [] => true
  | s :: p1, t :: q1 => step_same known s t && path_same known p1 q1
  | _, _ => false
  end.

Definition const_same (c d : const) : bool := if const_eq_dec c d then true else false.

(** What a data variable is: which statements, at which depth, say what it has at a path. *)
Definition variable : Type := list ixe -> nat -> spath -> statement -> bool.

Definition unknown : variable := fun _ _ _ _ => false.

Definition is_scalar (l : nat) (p : spath) : variable := fun known _ q r =>
  match r with RScalar l1 => Nat.eqb l1 l && path_same known q p | _ => false end.

Definition is_value (l k : nat) : variable := fun known _ q r =>
  match r with
  | RValue l1 i => Nat.eqb l1 l && Nat.eqb (List.length i) k && path_same known q (map XIx i)
  | _ => false
  end.

Definition is_input (v : nat) (d : ty) : variable := fun known _ q r =>
  match r with
  | RInput v1 a => Nat.eqb v1 v && index_same known (offset_term d q) a
  | _ => false
  end.

(** An array of numbers has a name in the statement where it is stored; its rank. *)
Fixpoint rank (d : ty) : option nat :=
  match d with
  | TNum => Some 0
  | TAry _ d1 => option_map S (rank d1)
  | TPair _ _ => None
  end.

Definition stored_rank (e : exp) : option nat :=
  match e with EMem d _ => rank d | _ => None end.

(** The k indices bound at depth d. *)
Definition bound_path (d k : nat) : spath := map (fun l => XIx (XVar l)) (seq d k).

Fixpoint states (known iv : list ixe) (vals : list variable) (e : exp) (d : nat) (p : spath)
    (r : statement) : bool :=
  match e with
  | EVar x => nth x vals unknown known d p r
  | ECst _ c => match r with RConst c1 => const_same c c1 | _ => false end
  | EOp (Op1 o) a =>
      match r with
      | ROp1 o1 r1 => (if uop_eq_dec o o1 then true else false) && states known iv vals a d [] r1
      | _ => false
      end
  | EOp (Op2 o) a =>
      match r with
      | ROp2 o1 r1 r2 =>
          (if bop_eq_dec o o1 then true else false) &&
          states known iv vals a d [XLft] r1 && states known iv vals a d [XRgt] r2
      | _ => false
      end
  | EOp (Op3 o) a =>
      match r with
      | ROp3 o1 r1 r2 r3 =>
          (if top_eq_dec o o1 then true else false) && states known iv vals a d [XLft] r1 &&
          states known iv vals a d [XRgt; XLft] r2 && states known iv vals a d [XRgt; XRgt] r3
      | _ => false
      end
  | EPair a b =>
      match p with
      | XLft :: q => states known iv vals a d q r
      | XRgt :: q => states known iv vals b d q r
      | _ => false
      end
  | ELay l a => states known iv vals a d (lay_spath (layout_at iv l) p) r
  | EPad lo n _ c a =>
      match p, r with
      | XIx i :: q, RPad lo1 i1 j1 hi1 r1 c1 =>
          index_same known (XSize lo) lo1 && index_same known i i1 && index_same known i j1 &&
          index_same known (XSize (SAdd lo n)) hi1 && const_same c c1 &&
          states (difference known i (XSize lo)) iv vals a d (XIx (XSub i (XSize lo)) :: q) r1
      | _, _ => false
      end
  | EIf g a b =>
      match r with
      | RIf g1 r1 r2 =>
          guard_states known iv g g1 && states known iv vals a d p r1 && states known iv vals b d p r2
      | _ => false
      end
  | EMap _ _ _ _ f a =>
      match p with
      | XIx i :: q =>
          states known (i :: iv) ((fun known1 d1 q1 => states known1 iv vals a d1 (XIx i :: q1)) :: vals) f d q r
      | _ => false
      end
  | ERed _ n _ _ f a b =>
      match r with
      | RFold n1 r1 r2 =>
          index_same known (XSize n) n1 && states known iv vals a d p r1 &&
          states known (XVar d :: iv)
            ((fun known1 d1 q1 => states known1 iv vals b d1 (XIx (XVar d) :: q1)) :: is_scalar d p :: vals)
            f (S d) p r2
      | _ => false
      end
  | ELet a b =>
      match stored_rank a, r with
      | Some k, RLet k1 r1 r2 =>
          Nat.eqb k k1 && states known iv vals a (d + k) (bound_path d k) r1 &&
          states known iv (is_value d k :: vals) b (S d) p r2
      | Some _, _ => false
      | None, _ => states known iv ((fun known1 d1 q1 => states known1 iv vals a d1 q1) :: vals) b d p r
      end
  | EMem _ a => states known iv vals a d p r
  | ECat n _ _ a b =>
      match p, r with
      | XIx i :: q, RIf (GLess i1 n1) r1 r2 =>
          index_same known i i1 && index_same known (XSize n) n1 && states known iv vals a d p r1 &&
          states (difference known i (XSize n)) iv vals b d (XIx (XSub i (XSize n)) :: q) r2
      | _, _ => false
      end
  end.

Section WORLDS.
  Context (K : scalars).

  (** The same below depth d. *)
  Definition agrees (d : nat) (w w1 : world K) : Prop := forall l, l < d ->
    w_index w1 l = w_index w l /\ w_scalar w1 l = w_scalar w l /\
    forall i, w_value w1 l i = w_value w l i.

  Lemma agrees_refl d w : agrees d w w.
  Proof. intros l _. auto. Qed.

  Lemma agrees_trans d d1 w w1 w2 : d <= d1 -> agrees d w w1 -> agrees d1 w1 w2 -> agrees d w w2.
  Proof.
    intros d_le first second l l_lt.
    destruct (first l l_lt) as (index1 & scalar1 & value1).
    destruct (second l ltac:(lia)) as (index2 & scalar2 & value2).
    split; [congruence|]. split; [congruence|]. intros i. rewrite value2. apply value1.
  Qed.

  Lemma agrees_step d w k s : agrees d w (with_step w d k s).
  Proof.
    intros l l_lt. simpl. rewrite (proj2 (Nat.eqb_neq l d)) by lia. auto.
  Qed.

  Lemma agrees_value d w f : agrees d w (with_value w d f).
  Proof.
    intros l l_lt. simpl. rewrite (proj2 (Nat.eqb_neq l d)) by lia. auto.
  Qed.

  Lemma agrees_indices d w i : agrees d w (with_indices w d i).
  Proof.
    intros l l_lt. simpl. rewrite (proj2 (Nat.ltb_lt l d)) by lia. auto.
  Qed.
End WORLDS.

Arguments agrees {K} d w w1.

Lemma bound_values i : forall d (f : nat -> nat),
  (forall n, n < List.length i -> f (d + n) = nth n i 0) ->
  map (fun l => Ix (f l)) (seq d (List.length i)) = map Ix i.
Proof.
  induction i as [|x i IHi]; intros d f f_is; [reflexivity|]. simpl. f_equal.
  - specialize (f_is 0 ltac:(simpl; lia)). rewrite Nat.add_0_r in f_is. rewrite f_is. reflexivity.
  - apply IHi. intros n n_lt. specialize (f_is (S n) ltac:(simpl; lia)). simpl in f_is.
    rewrite <- f_is. f_equal. lia.
Qed.

Section SOUNDNESS.
  Context (sg : nat -> nat) (K : scalars) (m : mem K).

  Notation value := (value K).
  Notation statement_val := (statement_val sg K m).
  Notation index_val w := (ixe_val sg (w_index w)).
  Notation path_at w := (path_val sg (w_index w)).

  (** What stays as it is, whatever is bound at depth d and deeper. *)
  Definition fixed_indices (d : nat) (w : world K) (iv : list ixe) (ns : list nat) : Prop :=
    forall w1, agrees d w w1 -> map (index_val w1) iv = ns.

  Definition fixed_path (d : nat) (w : world K) (p : spath) (ps : path) : Prop :=
    forall w1, agrees d w w1 -> path_at w1 p = ps.

  Definition all_known (d : nat) (w : world K) (known : list ixe) : Prop :=
    forall w1, agrees d w w1 -> forall e, In e known -> proper sg (w_index w1) e.

  Definition is_variable (d : nat) (w : world K) (c : variable) (v : value) : Prop :=
    forall d1 w1 known p ps r, d <= d1 -> agrees d w w1 -> all_known d1 w1 known ->
    fixed_path d1 w1 p ps -> c known d1 p r = true -> v ps = statement_val d1 w1 r.

  Lemma all_known_deeper d d1 w w1 known : d <= d1 -> agrees d w w1 ->
    all_known d w known -> all_known d1 w1 known.
  Proof. intros d_le same all w2 same2. exact (all w2 (agrees_trans K d d1 w w1 w2 d_le same same2)). Qed.

  Lemma fixed_indices_deeper d d1 w w1 iv ns : d <= d1 -> agrees d w w1 ->
    fixed_indices d w iv ns -> fixed_indices d1 w1 iv ns.
  Proof. intros d_le same fixed w2 same2. exact (fixed w2 (agrees_trans K d d1 w w1 w2 d_le same same2)). Qed.

  Lemma fixed_path_deeper d d1 w w1 p ps : d <= d1 -> agrees d w w1 ->
    fixed_path d w p ps -> fixed_path d1 w1 p ps.
  Proof. intros d_le same fixed w2 same2. exact (fixed w2 (agrees_trans K d d1 w w1 w2 d_le same same2)). Qed.

  Lemma is_variable_deeper d d1 w w1 c v : d <= d1 -> agrees d w w1 ->
    is_variable d w c v -> is_variable d1 w1 c v.
  Proof.
    intros d_le same is_v d2 w2 known p ps r d2_le same2. apply is_v; [lia|].
    exact (agrees_trans K d d1 w w1 w2 d_le same same2).
  Qed.

  Lemma variables_deeper d d1 w w1 vals vs : d <= d1 -> agrees d w w1 ->
    Forall2 (is_variable d w) vals vs -> Forall2 (is_variable d1 w1) vals vs.
  Proof.
    intros d_le same all. induction all; constructor; auto.
    eapply is_variable_deeper; eassumption.
  Qed.

  Lemma index_at_val (w : world K) iv e : index_val w (index_at iv e) =
    ixe_val sg (index_env (map (index_val w) iv)) e.
  Proof.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb]; simpl;
      try congruence.
    unfold index_env. rewrite <- (map_nth (index_val w)). reflexivity.
  Qed.

  Lemma layout_at_path (w : world K) iv l : forall p, lay_path sg (w_index w) (layout_at iv l) p =
    lay_path sg (index_env (map (index_val w) iv)) l p.
  Proof.
    induction l as [| |i| | |n k|n k| |n|n k s e|o n|n|l IHl]; intros p; try reflexivity.
    - simpl. rewrite index_at_val. reflexivity.
    - destruct p as [|t q]; [reflexivity|]. simpl. rewrite IHl. reflexivity.
  Qed.

  Lemma guard_states_val (w : world K) known iv g :
    (forall e, In e known -> proper sg (w_index w) e) ->
    forall h, guard_states known iv g h = true ->
    guard_val sg (w_index w) h = guard_val sg (index_env (map (index_val w) iv)) g.
  Proof.
    intros KNOWN.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; intros [a1 b1|a1 b1|h1 h2|h1 h2|h1];
      simpl; try discriminate; rewrite ?andb_true_iff.
    - intros [same_a same_b]. rewrite <- (index_same_sound sg (w_index w) known KNOWN _ _ same_a).
      rewrite <- (index_same_sound sg (w_index w) known KNOWN _ _ same_b), !index_at_val. reflexivity.
    - intros [same_a same_b]. rewrite <- (index_same_sound sg (w_index w) known KNOWN _ _ same_a).
      rewrite <- (index_same_sound sg (w_index w) known KNOWN _ _ same_b), !index_at_val. reflexivity.
    - intros [same1 same2]. rewrite (IH1 _ same1), (IH2 _ same2). reflexivity.
    - intros [same1 same2]. rewrite (IH1 _ same1), (IH2 _ same2). reflexivity.
    - intros same1. rewrite (IH1 _ same1). reflexivity.
  Qed.

  Lemma path_same_val (w : world K) known p : (forall e, In e known -> proper sg (w_index w) e) ->
    forall q, path_same known p q = true -> path_at w p = path_at w q.
  Proof.
    intros KNOWN. induction p as [|s p IHp]; intros [|t q]; simpl; try discriminate; auto.
    rewrite andb_true_iff. intros [same rest]. rewrite (IHp _ rest). f_equal.
    destruct s, t; simpl in same; try discriminate; auto.
    simpl. f_equal. exact (index_same_sound sg (w_index w) known KNOWN _ _ same).
  Qed.

  Lemma const_same_eq c c1 : const_same c c1 = true -> c = c1.
  Proof. unfold const_same. destruct (const_eq_dec c c1); [auto | discriminate]. Qed.

  (** Also where the path does not fit the type. *)
  Lemma offset_term_place (w : world K) d : forall p,
    index_val w (offset_term d p) = place_of (ty_val sg d) (path_at w p).
  Proof.
    induction d as [|n d IHd|d1 IH1 d2 IH2]; intros [|[i| |] q]; simpl; auto.
    - rewrite xadd_val, xmul_val, IHd. simpl. rewrite ty_size_val. reflexivity.
    - rewrite xadd_val, IH2. simpl. rewrite ty_size_val. reflexivity.
  Qed.

  (** The kinds of variables are what they say. *)

  Lemma is_input_sound d w v t :
    is_variable d w (is_input v t) (fun p => m v (place_of (ty_val sg t) p)).
  Proof.
    intros d1 w1 known p ps r _ _ ALL fixed. pose proof (ALL w1 (agrees_refl K d1 w1)) as KNOWN.
    destruct r; try discriminate. simpl.
    rewrite andb_true_iff, Nat.eqb_eq. intros [v_is same]. rewrite v_is.
    rewrite <- (index_same_sound sg (w_index w1) known KNOWN _ _ same), offset_term_place.
    rewrite (fixed w1 (agrees_refl K d1 w1)). reflexivity.
  Qed.

  Lemma is_scalar_sound d w k (a : value) p ps : fixed_path d w p ps ->
    is_variable (S d) (with_step w d k (a ps)) (is_scalar d p) a.
  Proof.
    intros fixed d1 w1 known q qs r d_le same ALL fixed_q.
    pose proof (ALL w1 (agrees_refl K d1 w1)) as KNOWN. destruct r; try discriminate. simpl.
    rewrite andb_true_iff, Nat.eqb_eq. intros [l_is same_q]. rewrite l_is.
    rewrite <- (fixed_q w1 (agrees_refl K d1 w1)), (path_same_val w1 known _ KNOWN _ same_q).
    rewrite (fixed w1).
    - destruct (same d ltac:(lia)) as (_ & scalar & _). rewrite scalar. simpl.
      rewrite Nat.eqb_refl. reflexivity.
    - eapply (agrees_trans K d (S d)); [lia | apply agrees_step | exact same].
  Qed.

  Lemma is_value_sound d w k (f : list nat -> num K) (v : value) :
    (forall i, List.length i = k -> v (map Ix i) = f i) ->
    is_variable (S d) (with_value w d f) (is_value d k) v.
  Proof.
    intros v_is d1 w1 known q qs r d_le same ALL fixed_q.
    pose proof (ALL w1 (agrees_refl K d1 w1)) as KNOWN. destruct r as [| |l i| | | | | | | |]; try discriminate.
    simpl. rewrite !andb_true_iff, !Nat.eqb_eq. intros [[l_is rank_is] same_q]. rewrite l_is.
    rewrite <- (fixed_q w1 (agrees_refl K d1 w1)), (path_same_val w1 known _ KNOWN _ same_q).
    destruct (same d ltac:(lia)) as (_ & _ & value_is). rewrite value_is. simpl.
    rewrite Nat.eqb_refl. rewrite <- v_is by (rewrite map_length; exact rank_is).
    unfold path_val. rewrite !map_map. reflexivity.
  Qed.

  Lemma nth_variable d w vals vs : Forall2 (is_variable d w) vals vs ->
    forall x, is_variable d w (nth x vals unknown) (nth x vs (zero_value K)).
  Proof.
    intros all. induction all as [|c v vals vs here all IHall]; intros [|x]; simpl; auto;
      intros d1 w1 known p ps r _ _ _ _ no; discriminate.
  Qed.

  Lemma fixed_head d w i p ps : fixed_path d w (XIx i :: p) ps -> exists n qs,
    ps = Ix n :: qs /\ fixed_path d w p qs /\ forall w1, agrees d w w1 -> index_val w1 i = n.
  Proof.
    intros fixed. exists (index_val w i), (path_at w p).
    assert (ALL : forall w1, agrees d w w1 ->
              index_val w1 i = index_val w i /\ path_at w1 p = path_at w p).
    { intros w1 same. pose proof (fixed w1 same) as one.
      rewrite <- (fixed w (agrees_refl K d w)) in one. injection one. auto. }
    split; [symmetry; apply (fixed w (agrees_refl K d w))|].
    split; intros w1 same; apply ALL, same.
  Qed.

  Lemma fixed_cons d w i n p ps : (forall w1, agrees d w w1 -> index_val w1 i = n) ->
    fixed_path d w p ps -> fixed_path d w (XIx i :: p) (Ix n :: ps).
  Proof.
    intros head fixed w1 same. simpl. rewrite (head w1 same). f_equal. apply (fixed w1 same).
  Qed.

  Lemma fixed_half d w s p ps : match s with XIx _ => False | XLft | XRgt => True end ->
    fixed_path d w (s :: p) ps -> exists qs,
    ps = match s with XIx _ | XLft => Lft | XRgt => Rgt end :: qs /\ fixed_path d w p qs.
  Proof.
    intros half fixed. exists (path_at w p).
    assert (ALL : forall w1, agrees d w w1 -> path_at w1 p = path_at w p).
    { intros w1 same. pose proof (fixed w1 same) as one.
      rewrite <- (fixed w (agrees_refl K d w)) in one. injection one. auto. }
    split; [|exact ALL]. rewrite <- (fixed w (agrees_refl K d w)).
    destruct s; [contradiction | reflexivity | reflexivity].
  Qed.

  Lemma fixed_halves d w p : (forall i, ~ In (XIx i) p) ->
    fixed_path d w p (path_at w p).
  Proof.
    intros halves w1 _. induction p as [|s p IHp]; [reflexivity|]. simpl.
    rewrite IHp by (intros i there; apply (halves i); right; exact there). f_equal.
    destruct s as [i| |]; [|reflexivity|reflexivity].
    exfalso. apply (halves i). left. reflexivity.
  Qed.

  Lemma fixed_bound d w i : fixed_path (d + List.length i) (with_indices w d i)
    (bound_path d (List.length i)) (map Ix i).
  Proof.
    intros w1 same. unfold bound_path, path_val. rewrite map_map.
    apply (bound_values i d (w_index w1)). intros n n_lt.
    destruct (same (d + n) ltac:(lia)) as [index _]. rewrite index. simpl.
    rewrite (proj2 (Nat.ltb_ge (d + n) d)) by lia. f_equal. lia.
  Qed.

  Lemma states_sound e : forall known iv ns vals vs d w p ps r,
    all_known d w known ->
    fixed_indices d w iv ns -> Forall2 (is_variable d w) vals vs -> fixed_path d w p ps ->
    states known iv vals e d p r = true -> eval sg K ns vs e ps = statement_val d w r.
  Proof.
    induction e as [x|t c|o e1 IH1|e1 IH1 e2 IH2|l e1 IH1|lo n hi c e1 IH1|g e1 IH1 e2 IH2
                   |k n t1 t2 f IHf e1 IH1|k n t1 t2 f IHf e1 IH1 e2 IH2|e1 IH1 e2 IH2|t e1 IH1
                   |n n1 t e1 IH1 e2 IH2]; intros known iv ns vals vs d w p ps r ALL INDICES VARIABLES PATH;
      pose proof (ALL w (agrees_refl K d w)) as KNOWN.
    - simpl. intros ok.
      exact (nth_variable d w vals vs VARIABLES x d w known p ps r (le_n d) (agrees_refl K d w) ALL PATH ok).
    - simpl. destruct r; try discriminate. intros ok. rewrite (const_same_eq _ _ ok). reflexivity.
    - pose proof (fun q halves r1 => IH1 known iv ns vals vs d w q (path_at w q) r1 ALL INDICES VARIABLES
                    (fixed_halves d w q halves)) as ARGUMENT.
      assert (NONE : forall i, ~ In (XIx i) []) by (intros i []).
      destruct o as [o|o|o]; simpl; destruct r as [| | | |o1 r1|o1 r1 r2|o1 r1 r2 r3| | | |];
        try discriminate; rewrite ?andb_true_iff.
      + destruct (uop_eq_dec o o1) as [o_is|]; [|intros [no _]; discriminate].
        intros [_ ok]. rewrite <- o_is. simpl. f_equal. apply (ARGUMENT []); auto.
      + destruct (bop_eq_dec o o1) as [o_is|]; [|intros [[no _] _]; discriminate].
        intros [[_ ok1] ok2]. rewrite <- o_is. simpl.
        f_equal; [apply (ARGUMENT [XLft]) | apply (ARGUMENT [XRgt])]; auto;
          intros i [no|[]]; discriminate.
      + destruct (top_eq_dec o o1) as [o_is|]; [|intros [[[no _] _] _]; discriminate].
        intros [[[_ ok1] ok2] ok3]. rewrite <- o_is. simpl.
        f_equal; [apply (ARGUMENT [XLft]) | apply (ARGUMENT [XRgt; XLft])
                 | apply (ARGUMENT [XRgt; XRgt])]; auto;
          intros i; simpl; intuition discriminate.
    - simpl. destruct p as [|[i| |] q]; try discriminate; intros ok.
      + destruct (fixed_half d w XLft q ps I PATH) as (qs & ps_is & PATH1). rewrite ps_is.
        exact (IH1 known iv ns vals vs d w q qs r ALL INDICES VARIABLES PATH1 ok).
      + destruct (fixed_half d w XRgt q ps I PATH) as (qs & ps_is & PATH1). rewrite ps_is.
        exact (IH2 known iv ns vals vs d w q qs r ALL INDICES VARIABLES PATH1 ok).
    - simpl. intros ok. refine (IH1 known iv ns vals vs d w _ _ r ALL INDICES VARIABLES _ ok).
      intros w1 same. rewrite lay_spath_val, layout_at_path, (INDICES w1 same), (PATH w1 same).
      reflexivity.
    - simpl. destruct p as [|[i| |] q]; try discriminate. destruct r; try discriminate.
      rewrite !andb_true_iff. intros [[[[[same_lo same_i] same_j] same_hi] same_c] ok].
      destruct (fixed_head d w i q ps PATH) as (x & qs & ps_is & PATH1 & x_is). rewrite ps_is.
      simpl. rewrite <- (index_same_sound sg (w_index w) known KNOWN _ _ same_lo).
      rewrite <- (index_same_sound sg (w_index w) known KNOWN _ _ same_i).
      rewrite <- (index_same_sound sg (w_index w) known KNOWN _ _ same_j).
      rewrite <- (index_same_sound sg (w_index w) known KNOWN _ _ same_hi).
      rewrite (x_is w (agrees_refl K d w)), (const_same_eq _ _ same_c). simpl.
      destruct (_ <=? _) eqn:above; [|reflexivity]. destruct (_ <? _); [|reflexivity].
      refine (IH1 (difference known i (XSize lo)) iv ns vals vs d w _ _ _ _ INDICES VARIABLES _ ok).
      { intros w1 same. apply difference_known; [exact (ALL w1 same)|].
        rewrite (x_is w1 same). apply Nat.leb_le, above. }
      apply fixed_cons; [|exact PATH1]. intros w1 same. simpl. rewrite (x_is w1 same). reflexivity.
    - simpl. destruct r; try discriminate. rewrite !andb_true_iff. intros [[same ok1] ok2]. simpl.
      rewrite (guard_states_val w known iv g KNOWN _ same), (INDICES w (agrees_refl K d w)).
      destruct (guard_val _ _ _).
      + exact (IH1 known iv ns vals vs d w p ps _ ALL INDICES VARIABLES PATH ok1).
      + exact (IH2 known iv ns vals vs d w p ps _ ALL INDICES VARIABLES PATH ok2).
    - simpl. destruct p as [|[i| |] q]; try discriminate. intros ok.
      destruct (fixed_head d w i q ps PATH) as (x & qs & ps_is & PATH1 & x_is). rewrite ps_is.
      refine (IHf known (i :: iv) (x :: ns) _ _ d w q qs r ALL _ _ PATH1 ok).
      + intros w1 same. simpl. rewrite (x_is w1 same), (INDICES w1 same). reflexivity.
      + constructor; [|exact VARIABLES]. intros d1 w1 known1 q1 qs1 r1 d_le same ALL1 fixed ok1.
        refine (IH1 known1 iv ns vals vs d1 w1 _ _ r1 ALL1 _ _ _ ok1).
        * exact (fixed_indices_deeper d d1 w w1 iv ns d_le same INDICES).
        * exact (variables_deeper d d1 w w1 vals vs d_le same VARIABLES).
        * apply fixed_cons; [|exact fixed]. intros w2 same2. apply x_is.
          exact (agrees_trans K d d1 w w1 w2 d_le same same2).
    - simpl. destruct r as [| | | | | | | | |n1 start step|]; try discriminate.
      rewrite !andb_true_iff. intros [[same_n ok1] ok2]. simpl.
      refine (fold_same K (size_val sg n) _ _ _ _ _ ps _ _ _).
      + exact (index_same_sound sg (w_index w) known KNOWN _ _ same_n).
      + intros j a. simpl. set (w1 := with_step w d j (a ps)).
        assert (DEEPER : agrees d w w1) by apply agrees_step.
        assert (J : forall d2 w2, S d <= d2 -> agrees (S d) w1 w2 -> w_index w2 d = j).
        { intros d2 w2 _ same. destruct (same d ltac:(lia)) as [index _]. rewrite index.
          simpl. rewrite Nat.eqb_refl. reflexivity. }
        refine (IHf known (XVar d :: iv) (j :: ns) _ _ (S d) w1 p ps step
                  (all_known_deeper d (S d) w w1 known ltac:(lia) DEEPER ALL) _ _ _ ok2).
        * intros w2 same. simpl. rewrite (J (S d) w2 (le_n _) same). f_equal.
          apply INDICES. exact (agrees_trans K d (S d) w w1 w2 ltac:(lia) DEEPER same).
        * constructor; [|constructor].
          -- intros d2 w2 known2 q qs r2 d_le same ALL2 fixed ok. simpl.
             assert (SAME : agrees d w w2)
               by exact (agrees_trans K d (S d) w w1 w2 ltac:(lia) DEEPER same).
             refine (IH2 known2 iv ns vals vs d2 w2 _ _ r2 ALL2 _ _ _ ok).
             ++ exact (fixed_indices_deeper d d2 w w2 iv ns ltac:(lia) SAME INDICES).
             ++ exact (variables_deeper d d2 w w2 vals vs ltac:(lia) SAME VARIABLES).
             ++ apply fixed_cons; [|exact fixed]. intros w3 same3. simpl.
                apply (J d2); [exact d_le|].
                exact (agrees_trans K (S d) d2 w1 w2 w3 d_le same same3).
          -- apply is_scalar_sound, PATH.
          -- exact (variables_deeper d (S d) w w1 vals vs ltac:(lia) DEEPER VARIABLES).
        * exact (fixed_path_deeper d (S d) w w1 p ps ltac:(lia) DEEPER PATH).
      + exact (IH1 known iv ns vals vs d w p ps start ALL INDICES VARIABLES PATH ok1).
    - simpl. destruct (stored_rank e1) as [k|].
      + destruct r as [| | | | | | | | | |k1 stored body]; try discriminate.
        rewrite !andb_true_iff, Nat.eqb_eq. intros [[k_is ok1] ok2]. simpl. rewrite <- k_is.
        set (f := fun i => statement_val (d + k) (with_indices w d i) stored).
        refine (IH2 known iv ns _ _ (S d) (with_value w d f) p ps body
                  (all_known_deeper d (S d) w _ known ltac:(lia) (agrees_value K d w f) ALL) _ _ _ ok2).
        * exact (fixed_indices_deeper d (S d) w _ iv ns ltac:(lia) (agrees_value K d w f) INDICES).
        * constructor.
          -- apply is_value_sound. intros i rank_is. unfold f.
             pose proof (fixed_bound d w i) as BOUND. rewrite rank_is in BOUND.
             refine (IH1 known iv ns vals vs (d + k) (with_indices w d i) _ _ _
                       (all_known_deeper d (d + k) w _ known ltac:(lia) (agrees_indices K d w i) ALL)
                       _ _ BOUND ok1).
             ++ exact (fixed_indices_deeper d (d + k) w _ iv ns ltac:(lia)
                         (agrees_indices K d w i) INDICES).
             ++ exact (variables_deeper d (d + k) w _ vals vs ltac:(lia)
                         (agrees_indices K d w i) VARIABLES).
          -- exact (variables_deeper d (S d) w _ vals vs ltac:(lia) (agrees_value K d w f) VARIABLES).
        * exact (fixed_path_deeper d (S d) w _ p ps ltac:(lia) (agrees_value K d w f) PATH).
      + intros ok. refine (IH2 known iv ns _ _ d w p ps r ALL INDICES _ PATH ok).
        constructor; [|exact VARIABLES]. intros d1 w1 known1 q qs r1 d_le same ALL1 fixed ok1.
        refine (IH1 known1 iv ns vals vs d1 w1 q qs r1 ALL1 _ _ fixed ok1).
        * exact (fixed_indices_deeper d d1 w w1 iv ns d_le same INDICES).
        * exact (variables_deeper d d1 w w1 vals vs d_le same VARIABLES).
    - simpl. intros ok. exact (IH1 known iv ns vals vs d w p ps r ALL INDICES VARIABLES PATH ok).
    - simpl. destruct p as [|[i| |] q]; try discriminate. destruct r as [| | | | | | | |g r1 r2| |];
        try discriminate. destruct g as [i1 m1| | | |]; try discriminate.
      rewrite !andb_true_iff. intros [[[same_i same_n] ok1] ok2].
      destruct (fixed_head d w i q ps PATH) as (x & qs & ps_is & PATH1 & x_is). rewrite ps_is. simpl.
      rewrite <- (index_same_sound sg (w_index w) known KNOWN _ _ same_i).
      rewrite <- (index_same_sound sg (w_index w) known KNOWN _ _ same_n), (x_is w (agrees_refl K d w)). simpl.
      destruct (x <? size_val sg n) eqn:above.
      + rewrite <- ps_is. exact (IH1 known iv ns vals vs d w _ ps r1 ALL INDICES VARIABLES PATH ok1).
      + refine (IH2 (difference known i (XSize n)) iv ns vals vs d w _ _ r2 _ INDICES VARIABLES _ ok2).
        { intros w1 same. apply difference_known; [exact (ALL w1 same)|].
          rewrite (x_is w1 same). apply Nat.ltb_ge, above. }
        apply fixed_cons; [|exact PATH1]. intros w1 same. simpl. rewrite (x_is w1 same). reflexivity.
  Qed.
End SOUNDNESS.

(** The kernel's inputs, as variables. *)
Definition inputs (k : source) : list variable :=
  map (fun v => is_input v (nth v (kernel_inputs k) TNum)) (seq 0 (List.length (kernel_inputs k))).

(** The cell at index variables 0 .. n - 1 of the output: its address, and what it holds. *)
Definition kernel_states (k : source) (n : nat) (address : ixe) (r : statement) : bool :=
  index_same [] (offset_term (kernel_output k) (bound_path 0 n)) address &&
  states [] [] (inputs k) (kernel_term k) n (bound_path 0 n) r.

Fixpoint assumed (sg : nat -> nat) (facts : list fact) : Prop :=
  match facts with
  | [] => True
  | (a, b) :: rest => size_val sg a <= size_val sg b /\ assumed sg rest
  end.

Lemma assumed_hold sg facts : assumed sg facts -> facts_hold sg facts.
Proof.
  induction facts as [|[a b] facts IHfacts]; intros all c d there; [contradiction|].
  destruct all as [here all]. destruct there as [same|there].
  - injection same as c_is d_is. rewrite <- c_is, <- d_is. exact here.
  - exact (IHfacts all c d there).
Qed.

(** Nothing is bound but the indices of the cell. *)
Definition cell_world (K : scalars) (indices : list nat) : world K := {|
  w_index := fun l => nth l indices 0;
  w_scalar := fun _ => cst K zero;
  w_value := fun _ _ => cst K zero |}.

(** What a text that [runs] leaves in a cell of the output. *)
Theorem reads k text sizes (K : scalars) (before after : mem K) indices address r :
  Certified k text -> kernel_states k (List.length indices) address r = true ->
  runs text sizes before after ->
  assumed (sizes_of sizes) (kernel_facts k) ->
  inb (ty_val (sizes_of sizes) (kernel_output k)) (map Ix indices) ->
  after (List.length (kernel_inputs k))
    (ixe_val (sizes_of sizes) (fun l => nth l indices 0) address) =
  statement_val (sizes_of sizes) K before (List.length indices) (cell_world K indices) r.
Proof.
  intros CERTIFIED checked RUNS FACTS p_in.
  set (sg := sizes_of sizes). set (w := cell_world K indices).
  change (after (List.length (kernel_inputs k)) (ixe_val sg (w_index w) address) =
          statement_val sg K before (List.length indices) w r).
  apply andb_true_iff in checked as [same ok].
  assert (PATH : forall w1, agrees (List.length indices) w w1 ->
            path_val sg (w_index w1) (bound_path 0 (List.length indices)) = map Ix indices).
  { intros w1 agree. apply (fixed_bound sg K 0 w indices). intros l l_lt.
    destruct (agree l l_lt) as (index & scalar & value_is). rewrite index. simpl.
    rewrite Nat.sub_0_r. auto. }
  pose proof (PATH w (agrees_refl K _ w)) as path_is.
  rewrite <- (index_same_sound sg (w_index w) [] (fun e none => match none with end) _ _ same), (offset_term_place sg K), path_is.
  pose proof (runs_value k text sizes K before after _ CERTIFIED RUNS (assumed_hold _ _ FACTS) p_in)
    as cell_is.
  refine (eq_trans cell_is _).
  refine (states_sound sg K before (kernel_term k) [] [] [] (inputs k) _ _ w _ _ r _ _ _ PATH ok).
  - intros w1 _ e none. destruct none.
  - intros w1 _. reflexivity.
  - unfold inputs, input_values. generalize (seq 0 (List.length (kernel_inputs k))).
    intros vs. induction vs as [|v vs IHvs]; constructor; [|exact IHvs].
    apply is_input_sound.
Qed.

(** From [RUNS : runs text sizes before after], what is in the cell of the output at [indices]:
    by computation where the statement [r] at address [cell] is of the same build as the term,
    elsewhere step by step. [facts] and [bounds] prove what is assumed of sizes and indices. *)
Ltac computes_by k certified RUNS indices cell r facts bounds :=
  let n := eval compute in (List.length indices) in
  let ok := eval vm_compute in (kernel_states k n cell r) in
  lazymatch ok with
  | true =>
      exact_no_check
        (reads k _ _ _ _ _ indices cell r certified
          (eq_refl true <: kernel_states k (List.length indices) cell r = true) RUNS facts bounds)
  | false =>
      let p := eval cbv beta iota delta [map] in (map Ix indices) in
      computes k certified p
  end.
