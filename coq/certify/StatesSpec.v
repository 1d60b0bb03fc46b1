(** What the check of a statement relies on: worlds that agree, and what stays as it is.

    [agrees]        two worlds are the same below a depth
    [fixed_path] [fixed_indices]   values that nothing bound deeper changes
    [is_variable]   what is known of a data variable is so *)

From Coq Require Import Arith NArith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.IndexCheck.
From Vouch Require Import imp.Flat lower.Flatten lower.OffsetProof.
From Vouch Require Import certify.Certificate certify.Statement certify.States.
From Vouch Require Import certify.Remainders.
Import ListNotations.

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

  Lemma sides_same_val (w : world K) known a b a1 b1 :
    (forall e, In e known -> proper sg (w_index w) e) -> sides_same known a b a1 b1 = true ->
    (index_val w a1 <? index_val w b1) = (index_val w a <? index_val w b) /\
    (index_val w a1 =? index_val w b1) = (index_val w a =? index_val w b).
  Proof.
    intros KNOWN. unfold sides_same. rewrite orb_true_iff, andb_true_iff. intros [[same_a same_b]|same].
    - rewrite <- (index_states_sound sg (w_index w) known KNOWN _ _ same_a).
      rewrite <- (index_states_sound sg (w_index w) known KNOWN _ _ same_b). auto.
    - pose proof (index_states_sound sg (w_index w) known KNOWN _ _ same) as sums. simpl in sums.
      destruct (Nat.ltb_spec (index_val w a1) (index_val w b1)), (Nat.ltb_spec (index_val w a) (index_val w b)),
        (Nat.eqb_spec (index_val w a1) (index_val w b1)), (Nat.eqb_spec (index_val w a) (index_val w b));
        split; first [reflexivity | lia].
  Qed.

  Lemma guard_states_val (w : world K) known iv g :
    (forall e, In e known -> proper sg (w_index w) e) ->
    forall h, guard_states known iv g h = true ->
    guard_val sg (w_index w) h = guard_val sg (index_env (map (index_val w) iv)) g.
  Proof.
    intros KNOWN.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; intros [a1 b1|a1 b1|h1 h2|h1 h2|h1];
      simpl; try discriminate; rewrite ?andb_true_iff.
    - intros same. destruct (sides_same_val w known _ _ _ _ KNOWN same) as [less _].
      rewrite less, !index_at_val. reflexivity.
    - intros same. destruct (sides_same_val w known _ _ _ _ KNOWN same) as [_ equal].
      rewrite equal, !index_at_val. reflexivity.
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
    simpl. f_equal. exact (index_states_sound sg (w_index w) known KNOWN _ _ same).
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
    rewrite <- (index_states_sound sg (w_index w1) known KNOWN _ _ same), offset_term_place.
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
    pose proof (ALL w1 (agrees_refl K d1 w1)) as KNOWN. destruct r as [| |l i| | | | | | | | |]; try discriminate.
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
End SOUNDNESS.

Arguments all_known_deeper {sg K} d d1 w w1 known.
Arguments fixed_indices_deeper {sg K} d d1 w w1 iv ns.
Arguments fixed_path_deeper {sg K} d d1 w w1 p ps.
Arguments variables_deeper {sg K m} d d1 w w1 vals vs.
Arguments nth_variable {sg K m} d w vals vs.
Arguments fixed_head {sg K} d w i p ps.
Arguments fixed_half {sg K} d w s p ps.
Arguments fixed_halves {sg K} d w p.
Arguments guard_states_val {sg K} w known iv g.
