(** Of which sizes index arithmetic stays in 64 bits.

    [fcomm_limits]     sizes such that, if they are below 2^63, nothing overflows; the theorem
                       is [fcomm_limits_sound] *)

From Coq Require Import ZArith NArith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax imp.Semantics.
From Vouch Require Import imp.Footprint imp.Flat imp.Int64.
Import ListNotations.
Local Open Scope Z_scope.

(** An upper bound of an index term, given the bound of each loop variable. *)
Fixpoint ixe_limit (bound : nat -> size) (e : ixe) : size :=
  match e with
  | XVar i => bound i
  | XSize s => s
  | XAdd a b => SAdd (ixe_limit bound a) (ixe_limit bound b)
  | XMul a b => SMul (ixe_limit bound a) (ixe_limit bound b)
  | XSub a _ | XDiv a _ | XMod a _ => ixe_limit bound a
  end.

Fixpoint ixe_limits (bound : nat -> size) (e : ixe) : list size :=
  match e with
  | XVar i => [bound i]
  | XSize s => size_parts s
  | XAdd a b | XMul a b =>
      ixe_limit bound e :: ixe_limits bound a ++ ixe_limits bound b
  | XSub a b | XDiv a b | XMod a b => ixe_limits bound a ++ ixe_limits bound b
  end.

Fixpoint guard_limits (bound : nat -> size) (g : guard) : list size :=
  match g with
  | GLess a b | GEqual a b => ixe_limits bound a ++ ixe_limits bound b
  | GAnd g1 g2 | GOr g1 g2 => guard_limits bound g1 ++ guard_limits bound g2
  | GNot g1 => guard_limits bound g1
  end.

Definition access_limits (bound : nat -> size) (i : option ixe) : list size :=
  match i with None => [] | Some e => ixe_limits bound e end.

Fixpoint fexp_limits (bound : nat -> size) (e : fexp) : list size :=
  match e with
  | FRead _ i => access_limits bound i
  | FConst _ => []
  | FIndex i => ixe_limits bound i
  | FOp1 _ e1 => fexp_limits bound e1
  | FOp2 _ e1 e2 => fexp_limits bound e1 ++ fexp_limits bound e2
  | FOp3 _ e1 e2 e3 => fexp_limits bound e1 ++ fexp_limits bound e2 ++ fexp_limits bound e3
  | FIf g e1 e2 => guard_limits bound g ++ fexp_limits bound e1 ++ fexp_limits bound e2
  end.

Definition set_bound (bound : nat -> size) (i : nat) (n : size) : nat -> size :=
  fun j => if Nat.eqb j i then n else bound j.

Definition pairs_limits (bound : nat -> size) (l : list (ixe * ixe)) : list size :=
  flat_map (fun p => ixe_limits bound (fst p) ++ ixe_limits bound (snd p)) l.

Fixpoint fcomm_limits (bound : nat -> size) (c : fcomm) : list size :=
  match c with
  | FSkip => []
  | FSeq c1 c2 => fcomm_limits bound c1 ++ fcomm_limits bound c2
  | FAssign _ i e => access_limits bound i ++ fexp_limits bound e
  | FNew _ None c1 => fcomm_limits bound c1
  | FNew _ (Some n) c1 => alloc_bytes n :: size_parts n ++ fcomm_limits bound c1
  | FFor _ i n c1 => size_parts n ++ fcomm_limits (set_bound bound i n) c1
  | FWithin i n lo hi c1 =>
      pairs_limits bound lo ++ pairs_limits bound hi ++ size_parts n ++ fcomm_limits (set_bound bound i n) c1
  end.

Section SOUNDNESS.
  Context (sg : nat -> nat).

  Definition fits (s : size) : Prop := Z.of_nat (size_val sg s) < max_int64.
  Definition bounded (bound : nat -> size) (ie : nat -> nat) : Prop :=
    forall i, fits (bound i) -> (ie i <= size_val sg (bound i))%nat.

  Lemma in_range_nat n : Z.of_nat n < max_int64 -> in_range (Z.of_nat n) = Some (Z.of_nat n).
  Proof.
    intros small. unfold in_range. replace ((- max_int64 <=? Z.of_nat n) && _) with true;
      [reflexivity|]. symmetry. apply andb_true_iff. rewrite Z.leb_le, Z.ltb_lt.
    unfold max_int64 in *. lia.
  Qed.

  Lemma in_range_difference x y : Z.of_nat x < max_int64 -> Z.of_nat y < max_int64 ->
    in_range (Z.of_nat x - Z.of_nat y) = Some (Z.of_nat x - Z.of_nat y).
  Proof.
    intros small_x small_y. unfold in_range. replace ((- max_int64 <=? Z.of_nat x - Z.of_nat y) && _) with true;
      [reflexivity|]. symmetry. apply andb_true_iff. rewrite Z.leb_le, Z.ltb_lt. unfold max_int64 in *. lia.
  Qed.

  Lemma size_parts_self s : In s (size_parts s).
  Proof. destruct s; simpl; auto. Qed.

  Lemma literal_in_type c :
    Z.of_N c < max_int64 -> in_type (size_type (SConst c)) (Z.of_N c) = Some (Z.of_N c).
  Proof.
    intros small. cbn [size_type]. destruct (N.ltb_spec c (2 ^ 31)) as [narrow|wide]; cbn [in_type].
    - replace ((- 2 ^ 31 <=? Z.of_N c) && (Z.of_N c <? 2 ^ 31)) with true; [reflexivity|].
      symmetry. apply andb_true_iff. rewrite Z.leb_le, Z.ltb_lt. lia.
    - rewrite <- (N_nat_Z c) in *. apply in_range_nat, small.
  Qed.

  Lemma wide_true t : is_wide t = true -> t = Wide.
  Proof. destruct t; [discriminate | reflexivity]. Qed.

  Lemma literal_small c : narrow c = true -> literal c = Some (Z.of_N c).
  Proof.
    unfold narrow. intros small. apply N.ltb_lt in small. apply literal_in_type. unfold max_int64. lia.
  Qed.

  Lemma quot64_val x d : Z.of_nat x < max_int64 -> quot64 (Some (Z.of_nat x)) (Some (Z.of_N (Npos d))) =
    Some (Z.of_nat (x / Pos.to_nat d)).
  Proof.
    intros small. unfold quot64, lift. destruct (Z.eqb_spec (Z.of_N (Npos d)) 0); [lia|].
    rewrite Z.quot_div_nonneg by lia. change (Z.of_N (Npos d)) with (Zpos d).
    rewrite <- (positive_nat_Z d), <- Nat2Z.inj_div. apply in_range_nat.
    pose proof (part_le (Quot d) x). cbn [part_val] in *. lia.
  Qed.

  Lemma rem64_val x d : Z.of_nat x < max_int64 -> rem64 (Some (Z.of_nat x)) (Some (Z.of_N (Npos d))) =
    Some (Z.of_nat (x mod Pos.to_nat d)).
  Proof.
    intros small. unfold rem64, lift. destruct (Z.eqb_spec (Z.of_N (Npos d)) 0); [lia|].
    rewrite Z.rem_mod_nonneg by lia. change (Z.of_N (Npos d)) with (Zpos d).
    rewrite <- (positive_nat_Z d), <- Nat2Z.inj_mod. apply in_range_nat.
    pose proof (part_le (Rem d) x). cbn [part_val] in *. lia.
  Qed.

  Lemma sum64_val x y : Z.of_nat (x + y) < max_int64 ->
    sum64 (Some (Z.of_nat x)) (Some (Z.of_nat y)) = Some (Z.of_nat (x + y)).
  Proof. intros small. unfold sum64, lift. rewrite <- Nat2Z.inj_add. apply in_range_nat, small. Qed.

  Lemma pred_small c : narrow c = true -> narrow (N.pred c) = true.
  Proof.
    unfold narrow. generalize (2 ^ 31)%N. intros most below. apply N.ltb_lt in below. apply N.ltb_lt.
    apply (N.le_lt_trans _ c); [apply N.le_pred_l | exact below].
  Qed.

  Lemma pred_nat d : Z.of_N (N.pred (N.pos d)) = Z.of_nat (Pos.to_nat d - 1).
  Proof. rewrite <- N_nat_Z, N2Nat.inj_pred, Nat.sub_1_r. reflexivity. Qed.

  Lemma left_below x d : (x mod Pos.to_nat d < Pos.to_nat d)%nat.
  Proof. apply Nat.mod_upper_bound. pose proof (Pos2Nat.is_pos d). lia. Qed.

  Lemma started_fits r d : (r < Pos.to_nat d)%nat -> narrow (Npos d) = true ->
    Z.of_nat (r + (Pos.to_nat d - 1)) < max_int64.
  Proof.
    unfold narrow. intros below typed. apply N.ltb_lt in typed. assert (typed_z : Zpos d < 2 ^ 31) by lia.
    clear typed. rewrite <- (positive_nat_Z d) in typed_z. revert below typed_z.
    generalize (Pos.to_nat d). intros w below typed_z. unfold max_int64. lia.
  Qed.

  Lemma quot_literal x d : narrow (Npos d) = true -> Z.of_nat x < max_int64 ->
    quot64 (Some (Z.of_nat x)) (literal (Npos d)) = Some (Z.of_nat (x / Pos.to_nat d)).
  Proof. intros small_d small. rewrite (literal_small _ small_d). apply quot64_val, small. Qed.

  Lemma rem_literal x d : narrow (Npos d) = true -> Z.of_nat x < max_int64 ->
    rem64 (Some (Z.of_nat x)) (literal (Npos d)) = Some (Z.of_nat (x mod Pos.to_nat d)).
  Proof. intros small_d small. rewrite (literal_small _ small_d). apply rem64_val, small. Qed.

  Lemma quotient_small x d : Z.of_nat x < max_int64 -> Z.of_nat (x / Pos.to_nat d) < max_int64.
  Proof. intros small. pose proof (part_le (Quot d) x) as le. cbn [part_val] in le. lia. Qed.

  Lemma started_literal x d : narrow (Npos d) = true -> Z.of_nat x < max_int64 ->
    quot64 (sum64 (rem64 (Some (Z.of_nat x)) (literal (Npos d))) (literal (N.pred (Npos d)))) (literal (Npos d)) =
    Some (Z.of_nat ((x mod Pos.to_nat d + (Pos.to_nat d - 1)) / Pos.to_nat d)).
  Proof.
    intros small_d small. pose proof (started_fits _ d (left_below x d) small_d) as fits_sum.
    rewrite (rem_literal x d small_d small), (literal_small _ (pred_small _ small_d)), pred_nat.
    rewrite (sum64_val _ _ fits_sum). apply quot_literal; [exact small_d | exact fits_sum].
  Qed.

  Strategy opaque [literal narrow quot64 rem64 sum64 in_range].

  Lemma part_int64_val p x : part_typed p = true -> Z.of_nat x < max_int64 ->
    part_int64 p (Some (Z.of_nat x)) = Some (Z.of_nat (part_val p x)).
  Proof.
    intros typed small. destruct p as [d|d|d c|d].
    - exact (quot_literal x d typed small).
    - exact (rem_literal x d typed small).
    - apply andb_true_iff in typed as [typed_d typed_c].
      refine (eq_trans (f_equal (fun q => rem64 q (literal (Npos c))) (quot_literal x d typed_d small)) _).
      exact (rem_literal _ c typed_c (quotient_small x d small)).
    - exact (started_literal x d typed small).
  Qed.

  Lemma size_parts_sound s :
    size_typed s = true -> Forall fits (size_parts s) -> size_computed sg s.
  Proof.
    unfold size_computed.
    induction s as [v|c|a IHa b IHb|a IHa b IHb|p v]; intros typed small;
      inversion small as [|s l here parts s_l]; unfold fits in here; cbn [size_val] in here.
    - apply in_range_nat, here.
    - cbn [size_int64 size_val]. rewrite N_nat_Z in *. apply literal_in_type, here.
    - apply andb_true_iff in typed as [typed typed_b].
      apply andb_true_iff in typed as [wide typed_a]. simpl in parts.
      apply Forall_app in parts as [parts_a parts_b].
      cbn [size_int64]. rewrite (IHa typed_a parts_a), (IHb typed_b parts_b).
      rewrite (wide_true _ wide). cbn [lift in_type size_val].
      rewrite <- Nat2Z.inj_add. apply in_range_nat, here.
    - apply andb_true_iff in typed as [typed typed_b].
      apply andb_true_iff in typed as [wide typed_a]. simpl in parts.
      apply Forall_app in parts as [parts_a parts_b].
      cbn [size_int64]. rewrite (IHa typed_a parts_a), (IHb typed_b parts_b).
      rewrite (wide_true _ wide). cbn [lift in_type size_val].
      rewrite <- Nat2Z.inj_mul. apply in_range_nat, here.
    - inversion parts as [|s0 l0 whole none s0_l0]. change (Z.of_nat (sg v) < max_int64) in whole.
      cbn [size_int64 size_val size_typed] in *. rewrite (in_range_nat _ whole). apply part_int64_val; [exact typed | exact whole].
  Qed.

  Section IN_SCOPE.
    Context (bound : nat -> size) (ie : nat -> nat) (BOUNDED : bounded bound ie).

    (** Terms within their limits: evaluated right, and below the limit. *)
    Lemma ixe_limits_sound e :
      ixe_typed e = true -> ixe_safe sg ie e -> Forall fits (ixe_limits bound e) ->
      computed sg ie e /\ (ixe_val sg ie e <= size_val sg (ixe_limit bound e))%nat /\
      fits (ixe_limit bound e).
    Proof using BOUNDED.
      unfold computed.
      induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
        cbn [ixe_typed]; intros typed;
        try (apply andb_true_iff in typed as [typed typed_b];
             apply andb_true_iff in typed as [wide typed_a]; apply wide_true in wide;
             specialize (IHa typed_a); specialize (IHb typed_b); cbn [int64]; rewrite wide);
        simpl; intros safe small.
      - inversion small as [|s l here parts s_l]. specialize (BOUNDED i here).
        repeat split; auto. apply in_range_nat. unfold fits in here. lia.
      - repeat split; auto.
        + apply size_parts_sound; assumption.
        + rewrite Forall_forall in small. apply small, size_parts_self.
      - inversion small as [|s l here parts s_l]. apply Forall_app in parts as [small_a small_b].
        destruct safe as [safe_a safe_b].
        destruct (IHa safe_a small_a) as (comp_a & le_a & _).
        destruct (IHb safe_b small_b) as (comp_b & le_b & _).
        rewrite comp_a, comp_b. simpl. rewrite <- Nat2Z.inj_add.
        repeat split; auto; [|lia]. apply in_range_nat. unfold fits in here. simpl in here. lia.
      - apply Forall_app in small as [small_a small_b].
        destruct safe as (safe_a & safe_b & le).
        destruct (IHa safe_a small_a) as (comp_a & le_a & fits_a).
        destruct (IHb safe_b small_b) as (comp_b & le_b & _).
        rewrite comp_a, comp_b. simpl. rewrite <- Nat2Z.inj_sub by exact le.
        repeat split; auto; [|lia]. apply in_range_nat. unfold fits in fits_a. lia.
      - inversion small as [|s l here parts s_l]. apply Forall_app in parts as [small_a small_b].
        destruct safe as [safe_a safe_b].
        destruct (IHa safe_a small_a) as (comp_a & le_a & _).
        destruct (IHb safe_b small_b) as (comp_b & le_b & _).
        rewrite comp_a, comp_b. simpl. rewrite <- Nat2Z.inj_mul.
        assert (le : (ixe_val sg ie a * ixe_val sg ie b <=
                      size_val sg (ixe_limit bound a) * size_val sg (ixe_limit bound b))%nat)
          by (apply Nat.mul_le_mono; assumption).
        repeat split; auto. apply in_range_nat. unfold fits in here. simpl in here. lia.
      - apply Forall_app in small as [small_a small_b].
        destruct safe as (safe_a & safe_b & positive).
        destruct (IHa safe_a small_a) as (comp_a & le_a & fits_a).
        destruct (IHb safe_b small_b) as (comp_b & le_b & _).
        rewrite comp_a, comp_b. simpl.
        destruct (Z.eqb_spec (Z.of_nat (ixe_val sg ie b)) 0); [lia|].
        rewrite Z.quot_div_nonneg, <- Nat2Z.inj_div by lia.
        assert (le : (ixe_val sg ie a / ixe_val sg ie b <= ixe_val sg ie a)%nat)
          by (apply Nat.div_le_upper_bound; nia).
        repeat split; auto; [|lia]. apply in_range_nat. unfold fits in fits_a. lia.
      - apply Forall_app in small as [small_a small_b].
        destruct safe as (safe_a & safe_b & positive).
        destruct (IHa safe_a small_a) as (comp_a & le_a & fits_a).
        destruct (IHb safe_b small_b) as (comp_b & le_b & _).
        rewrite comp_a, comp_b. simpl.
        destruct (Z.eqb_spec (Z.of_nat (ixe_val sg ie b)) 0); [lia|].
        rewrite Z.rem_mod_nonneg, <- Nat2Z.inj_mod by lia.
        pose proof (Nat.mod_le (ixe_val sg ie a) (ixe_val sg ie b) positive).
        repeat split; auto; [|lia]. apply in_range_nat. unfold fits in fits_a. lia.
    Qed.

    Lemma pairs_limits_sound l :
      pairs_typed l = true -> pairs_safe sg ie l -> Forall fits (pairs_limits bound l) -> pairs_computed sg ie l.
    Proof using BOUNDED.
      induction l as [|[a b] l IHl]; [constructor|]. intros typed safe small.
      apply andb_true_iff in typed as [typed_p typed]. apply andb_true_iff in typed_p as [typed_a typed_b].
      inversion_clear safe as [|p0 l0 safe_p safe_l]. destruct safe_p as [safe_a safe_b].
      cbn [pairs_limits flat_map] in small. apply Forall_app in small as [small_p small].
      apply Forall_app in small_p as [small_a small_b]. cbn [fst snd] in *.
      destruct (ixe_limits_sound a typed_a safe_a small_a) as (comp_a & le_a & fits_a).
      destruct (ixe_limits_sound b typed_b safe_b small_b) as (comp_b & le_b & fits_b).
      constructor; [|apply IHl; assumption]. split; [exact comp_a|]. split; [exact comp_b|].
      unfold fits in *. cbn [fst snd]. apply in_range_difference; lia.
    Qed.

    Lemma guard_limits_sound g :
      guard_typed g = true -> guard_safe sg ie g -> Forall fits (guard_limits bound g) ->
      guard_computed sg ie g.
    Proof using BOUNDED.
      induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; simpl; intros typed safe small;
        auto; apply andb_true_iff in typed as [typed1 typed2];
        apply Forall_app in small as [small1 small2]; destruct safe as [safe1 safe2]; auto;
        split; apply ixe_limits_sound; assumption.
    Qed.

    Lemma access_limits_sound extent v i :
      access_typed i = true -> access_safe sg extent ie v i ->
      Forall fits (access_limits bound i) -> access_computed sg ie i.
    Proof using BOUNDED.
      destruct i as [e|]; [|intros; exact I]. intros typed [_ safe] small.
      exact (proj1 (ixe_limits_sound e typed safe small)).
    Qed.

    Lemma fexp_limits_sound extent e :
      fexp_typed e = true -> fexp_safe sg extent ie e -> Forall fits (fexp_limits bound e) ->
      fexp_computed sg ie e.
    Proof using BOUNDED.
      induction e as [v i|c|i|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
        simpl; intros typed safe small; auto.
      - apply (access_limits_sound extent v); assumption.
      - exact (proj1 (ixe_limits_sound i typed safe small)).
      - apply andb_true_iff in typed as [typed1 typed2].
        apply Forall_app in small as [small1 small2]. destruct safe. auto.
      - apply andb_true_iff in typed as [typed typed3]. apply andb_true_iff in typed as [typed1 typed2].
        apply Forall_app in small as [small1 small2]. apply Forall_app in small2 as [small2 small3].
        destruct safe as (safe1 & safe2 & safe3). auto.
      - apply andb_true_iff in typed as [typed typed2].
        apply andb_true_iff in typed as [typed_g typed1].
        apply Forall_app in small as [small_g small]. apply Forall_app in small as [small1 small2].
        destruct safe as [safe_g safe]. split; [apply guard_limits_sound; assumption|].
        destruct (guard_val sg ie g); auto.
    Qed.
  End IN_SCOPE.

  Lemma end_of_le ie n hi : (end_of sg ie n hi <= size_val sg n)%nat.
  Proof. induction hi as [|p hi IHhi]; cbn [end_of fold_right]; [apply le_n|]. fold (end_of sg ie n hi). lia. Qed.

  Lemma within_lt ie n lo hi j : (j < count_of sg ie n lo hi)%nat -> (first_of sg ie lo + j < size_val sg n)%nat.
  Proof. unfold count_of. pose proof (end_of_le ie n hi). lia. Qed.

  Lemma bounded_bind bound ie i j n :
    bounded bound ie -> (j < size_val sg n)%nat -> bounded (set_bound bound i n) (bind ie i j).
  Proof.
    intros BOUNDED j_lt k small. unfold set_bound, bind in *.
    destruct (Nat.eqb k i); [lia | apply BOUNDED, small].
  Qed.

  Theorem fcomm_limits_sound c : forall bound extent ie,
    fcomm_typed c = true -> bounded bound ie -> fcomm_safe sg extent c ie ->
    Forall fits (fcomm_limits bound c) -> fcomm_int64 sg c ie.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc];
      cbn [fcomm_limits fcomm_int64 fcomm_safe fcomm_typed];
      intros bound extent ie typed BOUNDED safe small; auto.
    - apply andb_true_iff in typed as [typed1 typed2].
      apply Forall_app in small as [small1 small2]. destruct safe. eauto.
    - apply andb_true_iff in typed as [typed_i typed_e].
      apply Forall_app in small as [small_i small_e]. destruct safe as [safe_i safe_e]. split.
      + apply (access_limits_sound bound ie BOUNDED extent v); assumption.
      + apply (fexp_limits_sound bound ie BOUNDED extent); assumption.
    - apply andb_true_iff in typed as [typed_n typed]. destruct n as [n|]; cbv iota in *.
      + inversion small as [|s l bytes parts s_l]. apply Forall_app in parts as [small_n small1].
        split; [apply size_parts_sound; assumption|]. split; [exact bytes|].
        apply (IHc bound (set_extent sg extent v (Some n))); assumption.
      + apply (IHc bound (set_extent sg extent v None)); assumption.
    - apply andb_true_iff in typed as [typed_n typed].
      apply Forall_app in small as [small_n small]. split; [apply size_parts_sound; assumption|].
      intros j j_lt. destruct safe as [safe _].
      apply (IHc (set_bound bound i n) extent); auto using bounded_bind.
    - apply andb_true_iff in typed as [typed typed_c]. apply andb_true_iff in typed as [typed typed_n].
      apply andb_true_iff in typed as [typed_lo typed_hi].
      apply Forall_app in small as [small_lo small]. apply Forall_app in small as [small_hi small].
      apply Forall_app in small as [small_n small]. destruct safe as (safe_lo & safe_hi & safe).
      split; [apply (pairs_limits_sound bound ie BOUNDED); assumption|].
      split; [apply (pairs_limits_sound bound ie BOUNDED); assumption|].
      split; [apply size_parts_sound; assumption|].
      intros j j_lt. apply (IHc (set_bound bound i n) extent); auto. apply bounded_bind; [exact BOUNDED|].
      apply (within_lt _ _ _ _ _ j_lt).
  Qed.
End SOUNDNESS.
