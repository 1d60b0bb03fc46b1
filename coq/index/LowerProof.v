(** The functional program of a kernel in index notation computes that kernel.

    [lower_term_ok]    an index term is the difference of its two natural numbers
    [read_at_ok]       a read finds zero outside of its axis
    [lower_correct]    the program's value is the kernel's, at every element of the output
    [ComputesIndex]    what a certificate says of a kernel in index notation *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing array.Check.
From Vouch Require Import array.IndexProof.
From Vouch Require Import imp.Flat imp.Threads lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Print certify.Canonical certify.Parse.
From Vouch Require Import certify.Certificate.
From Vouch Require Import index.Kernel index.Lower.
Import ListNotations.

Definition below (sg : nat -> nat) (iv : list nat) (X : list size) : Prop :=
  in_bounds iv (map (size_val sg) X).

(** Index terms that lowering makes: divisors are positive numbers. *)
Fixpoint plain (e : ixe) : Prop :=
  match e with
  | XVar _ | XSize _ => True
  | XAdd a b | XSub a b | XMul a b => plain a /\ plain b
  | XDiv a b | XMod a b => plain a /\ exists m, b = number (Zpos m)
  end.

Section TERMS.
  Context (sg : nat -> nat) (facts : list fact) (FACTS : facts_hold sg facts).
  Context (iv : list nat) (X : list size) (BELOW : below sg iv X).

  Definition val (e : ixe) : Z := Z.of_nat (ixe_val sg (index_env iv) e).

  Lemma val_nonneg e : (0 <= val e)%Z.
  Proof using. unfold val. lia. Qed.

  Lemma val_number z : (0 <= z)%Z -> val (number z) = z.
  Proof using. intros z_pos. unfold val, number. cbn. lia. Qed.

  Lemma number_plain z : plain (number z).
  Proof using. exact I. Qed.

  Lemma is_zero_val e : is_zero e = true -> val e = 0%Z.
  Proof using.
    destruct e as [|s| | | | |]; try discriminate. destruct s as [|n| |]; try discriminate.
    destruct n; [reflexivity | discriminate].
  Qed.

  Lemma val_add a b : val (xadd a b) = (val a + val b)%Z.
  Proof using.
    unfold xadd. destruct (is_zero a) eqn:za.
    - rewrite (is_zero_val a za). reflexivity.
    - destruct (is_zero b) eqn:zb.
      + rewrite (is_zero_val b zb). lia.
      + unfold val. cbn. lia.
  Qed.

  Lemma xadd_plain a b : plain a -> plain b -> plain (xadd a b).
  Proof using.
    intros pa pb. unfold xadd. destruct (is_zero a); [exact pb|].
    destruct (is_zero b); [exact pa | split; assumption].
  Qed.

  Lemma val_times c a : (0 <= c)%Z -> val (xtimes c a) = (c * val a)%Z.
  Proof using.
    intros c_pos. unfold xtimes. destruct (is_zero a) eqn:za; cbn [orb].
    - rewrite (is_zero_val a za), val_number; lia.
    - destruct (Z.eqb_spec c 0) as [c0|c_not_0].
      + subst c. rewrite val_number; lia.
      + destruct (Z.eqb_spec c 1) as [c1|c_not_1].
        * subst c. lia.
        * assert (number_c := val_number c c_pos). unfold val in *. cbn in *. lia.
  Qed.

  Lemma xtimes_plain c a : plain a -> plain (xtimes c a).
  Proof using.
    intros pa. unfold xtimes. destruct (is_zero a || (c =? 0)%Z); [apply number_plain|].
    destruct (c =? 1)%Z; [exact pa | split; [exact pa | apply number_plain]].
  Qed.

  Lemma plus_size_val a b : size_val sg (plus_size a b) = size_val sg a + size_val sg b.
  Proof using.
    destruct a as [v|[|c]|a1 a2|a1 a2], b as [w|[|d]|b1 b2|b1 b2]; cbn; lia.
  Qed.

  Lemma times_size_val a b : size_val sg (times_size a b) = size_val sg a * size_val sg b.
  Proof using. destruct a as [v|c|a1 a2|a1 a2], b as [w|d|b1 b2|b1 b2]; cbn; lia. Qed.

  Lemma last_at_least n i : i < size_val sg n -> i <= size_val sg (last n).
  Proof using. destruct n as [v|c|a b|a b]; cbn; lia. Qed.

  Lemma var_at_most i : nth i iv 0 <= size_val sg (last (nth i X (SConst 0))).
  Proof using BELOW.
    clear FACTS. revert i. unfold below in BELOW. revert BELOW. generalize iv.
    induction X as [|n Y IHY]; intros jv bounds [|i]; inversion bounds; subst; cbn; try lia.
    - apply last_at_least. assumption.
    - apply IHY. assumption.
  Qed.

  Lemma upper_ok e : plain e -> ixe_val sg (index_env iv) e <= size_val sg (upper X e).
  Proof using BELOW.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
      cbn [ixe_val upper plain]; intros pe.
    - apply var_at_most.
    - lia.
    - rewrite plus_size_val. destruct pe as [pa pb]. specialize (IHa pa). specialize (IHb pb). lia.
    - destruct pe as [pa pb]. specialize (IHa pa). lia.
    - rewrite times_size_val. destruct pe as [pa pb].
      apply Nat.mul_le_mono; [exact (IHa pa) | exact (IHb pb)].
    - destruct pe as [pa [m b_is]]. specialize (IHa pa).
      set (x := ixe_val sg (index_env iv) a) in *. set (y := ixe_val sg (index_env iv) b).
      assert (x / y <= x).
      { destruct y as [|y]; [cbn; lia|]. apply Nat.div_le_upper_bound; nia. }
      lia.
    - destruct pe as [pa [m b_is]]. subst b. apply last_at_least. cbn.
      apply Nat.mod_upper_bound. lia.
  Qed.

  Lemma raised_ok p q m : plain p -> plain q ->
    val (fst (raised X p q m)) =
      (val p - val q + Zpos m * Z.of_nat (size_val sg (snd (raised X p q m))))%Z /\
    plain (fst (raised X p q m)).
  Proof using BELOW.
    intros pp pq. unfold raised. destruct (is_zero q) eqn:zq; cbn [fst snd].
    - rewrite (is_zero_val q zq). split; [cbn; lia | exact pp].
    - assert (q_le := upper_ok q pq).
      set (turns := match upper X q with
                    | SConst u => SConst ((u + Npos m - 1) / Npos m)
                    | u => u
                    end).
      assert (enough : (val q <= Zpos m * Z.of_nat (size_val sg turns))%Z).
      { assert (times : forall u, ixe_val sg (index_env iv) q <= u ->
                  (Z.of_nat (ixe_val sg (index_env iv) q) <= Zpos m * Z.of_nat u)%Z).
        { intros u u_at_least. apply Z.le_trans with (m := (1 * Z.of_nat u)%Z); [lia|].
          apply Z.mul_le_mono_nonneg_r; lia. }
        unfold val, turns. destruct (upper X q) as [v|u|a b|a b]; try (apply times, q_le).
        cbn [size_val] in *.
        pose proof (N.div_mod (u + Npos m - 1) (Npos m) ltac:(discriminate)) as split_u.
        pose proof (N.mod_lt (u + Npos m - 1) (Npos m) ltac:(discriminate)) as rest.
        set (d := ((u + Npos m - 1) / Npos m)%N) in *.
        set (r := ((u + Npos m - 1) mod Npos m)%N) in *.
        assert (u_le : (u <= Npos m * d)%N) by lia.
        apply Z.le_trans with (m := Z.of_N u); [lia|].
        replace (Z.of_nat (N.to_nat d)) with (Z.of_N d) by lia.
        change (Zpos m) with (Z.of_N (Npos m)). rewrite <- N2Z.inj_mul. lia. }
      assert (added : val (XSize (times_size (SConst (Npos m)) turns)) =
                      (Zpos m * Z.of_nat (size_val sg turns))%Z).
      { unfold val. cbn [ixe_val]. rewrite times_size_val, Nat2Z.inj_mul. cbn [size_val].
        rewrite positive_N_nat, positive_nat_Z. reflexivity. }
      assert (sum := val_add p (XSize (times_size (SConst (Npos m)) turns))).
      rewrite added in sum. split.
      + assert (p_pos := val_nonneg p). unfold val in *. cbn [ixe_val] in *. lia.
      + split; [|exact pq]. apply xadd_plain; [exact pp | exact I].
  Qed.

  Lemma small_ok x m : small X x m = true -> plain x -> (val x < Zpos m)%Z.
  Proof using BELOW.
    unfold small. intros below_m px. pose proof (upper_ok x px) as le.
    destruct (upper X x) as [v|u|y z|y z]; try discriminate. apply N.ltb_lt in below_m.
    cbn [size_val] in le. unfold val. lia.
  Qed.

  Lemma blocks_of_ok x m : forall a b, blocks_of X x m = Some (a, b) -> plain x ->
    val x = (val a * Zpos m + val b)%Z /\ (val b < Zpos m)%Z /\ plain a /\ plain b.
  Proof using BELOW.
    induction x as [i|s|p IHp q IHq|p IHp q IHq|p IHp q IHq|p IHp q IHq|p IHp q IHq]; intros a b blocks px;
      cbn [blocks_of] in blocks;
      (match type of blocks with (if ?c then _ else _) = _ => destruct c eqn:fits end;
       [injection blocks as a_is b_is; subst a b; rewrite val_number by lia;
        split; [ring | split; [apply small_ok; assumption | split; [apply number_plain | exact px]]] |]);
      try discriminate.
    - destruct s as [v|c|y z|y z]; try discriminate. injection blocks as a_is b_is. subst a b.
      pose proof (N.div_mod c (Npos m) ltac:(discriminate)) as split_c.
      pose proof (N.mod_lt c (Npos m) ltac:(discriminate)) as rest.
      rewrite !val_number by apply N2Z.is_nonneg. unfold val. cbn [ixe_val size_val].
      split; [|split; [|split; apply number_plain]]; [|lia].
      rewrite N_nat_Z. rewrite split_c at 1. rewrite N2Z.inj_add, N2Z.inj_mul. cbn [Z.of_N]. ring.
    - destruct px as [pp pq].
      destruct (blocks_of X p m) as [[a1 b1]|]; [|discriminate].
      destruct (blocks_of X q m) as [[a2 b2]|]; [|discriminate].
      destruct (IHp a1 b1 eq_refl pp) as (p_is & _ & pa1 & pb1).
      destruct (IHq a2 b2 eq_refl pq) as (q_is & _ & pa2 & pb2).
      destruct (small X (xadd b1 b2) m) eqn:low; [|discriminate]. injection blocks as a_is b_is. subst a b.
      assert (pb := xadd_plain b1 b2 pb1 pb2).
      split; [|split; [apply small_ok; assumption | split; [apply xadd_plain; assumption | exact pb]]].
      rewrite !val_add. transitivity (val p + val q)%Z; [unfold val; cbn [ixe_val]; lia | rewrite p_is, q_is; ring].
    - destruct px as [pp _]. destruct q as [|s| | | | |]; try discriminate.
      destruct s as [v|c|y z|y z]; try discriminate.
      destruct (N.eqb_spec (c mod Npos m) 0) as [none|]; [|discriminate].
      injection blocks as a_is b_is. subst a b.
      pose proof (N.div_mod c (Npos m) ltac:(discriminate)) as split_c. rewrite none, N.add_0_r in split_c.
      rewrite val_times by apply N2Z.is_nonneg. rewrite val_number by lia.
      split; [|split; [lia | split; [apply xtimes_plain, pp | apply number_plain]]].
      unfold val at 1. cbn [ixe_val size_val]. rewrite Nat2Z.inj_mul, N_nat_Z.
      rewrite split_c at 1. rewrite N2Z.inj_mul. unfold val. cbn [Z.of_N]. ring.
  Qed.

  Lemma val_quotient r m : plain r ->
    val (quotient X r m) = (val r / Zpos m)%Z /\ plain (quotient X r m).
  Proof using BELOW.
    intros pr. unfold quotient. destruct (blocks_of X r m) as [[a b]|] eqn:blocks.
    - destruct (blocks_of_ok r m a b blocks pr) as (r_is & b_lt & pa & _). split; [|exact pa].
      apply (Z.div_unique_pos _ _ _ (val b)); [|rewrite r_is; ring].
      split; [apply val_nonneg | exact b_lt].
    - assert (m_val := val_number (Zpos m) (Pos2Z.is_nonneg m)).
      split; [|split; [exact pr | exists m; reflexivity]]. unfold val in *.
      cbn [ixe_val]. rewrite Nat2Z.inj_div, m_val. reflexivity.
  Qed.

  Lemma val_remainder r m : plain r ->
    val (remainder X r m) = (val r mod Zpos m)%Z /\ plain (remainder X r m).
  Proof using BELOW.
    intros pr. unfold remainder. destruct (blocks_of X r m) as [[a b]|] eqn:blocks.
    - destruct (blocks_of_ok r m a b blocks pr) as (r_is & b_lt & _ & pb). split; [|exact pb].
      apply (Z.mod_unique_pos _ _ (val a)); [|rewrite r_is; ring].
      split; [apply val_nonneg | exact b_lt].
    - assert (m_val := val_number (Zpos m) (Pos2Z.is_nonneg m)).
      split; [|split; [exact pr | exists m; reflexivity]]. unfold val in *.
      cbn [ixe_val]. rewrite Nat2Z.inj_mod, m_val. reflexivity.
  Qed.

  Lemma lower_term_ok t :
    let (p, q) := lower_term X t in
    iterm_val sg iv t = (val p - val q)%Z /\ plain p /\ plain q.
  Proof using BELOW.
    induction t as [i|z|z|a IHa b IHb|c a IHa|a IHa m|a IHa m]; cbn [lower_term iterm_val].
    - split; [|split; [exact I | apply number_plain]].
      rewrite val_number by lia. unfold val. cbn. unfold index_env. lia.
    - destruct (Z.leb_spec 0 z) as [z_pos|z_neg].
      + repeat rewrite val_number by lia.
        split; [lia | split; apply number_plain].
      + repeat rewrite val_number by lia.
        split; [lia | split; apply number_plain].
    - split; [|split; [exact I | apply number_plain]].
      rewrite val_number by lia. unfold val. cbn. lia.
    - destruct (lower_term X a) as [p1 q1], (lower_term X b) as [p2 q2].
      destruct IHa as (va & pa & qa), IHb as (vb & pb & qb).
      rewrite !val_add. split; [lia|]. split; apply xadd_plain; assumption.
    - destruct (lower_term X a) as [p q]. destruct IHa as (va & pp & pq).
      destruct (Z.leb_spec 0 c) as [c_pos|c_neg].
      + rewrite !val_times by lia. split; [rewrite va; ring|].
        split; apply xtimes_plain; assumption.
      + rewrite !val_times by lia. split; [rewrite va; ring|].
        split; apply xtimes_plain; assumption.
    - destruct (lower_term X a) as [p q]. destruct IHa as (va & pp & pq).
      pose proof (raised_ok p q m pp pq) as R.
      destruct (raised X p q m) as [r turns]. cbn [fst snd] in R. destruct R as (vr & pr).
      destruct (val_quotient r m pr) as [vq plain_q]. rewrite vq. split.
      + rewrite vr, va, Z.mul_comm, Z.div_add by lia. unfold val. cbn [ixe_val]. lia.
      + split; [exact plain_q | exact I].
    - destruct (lower_term X a) as [p q]. destruct IHa as (va & pp & pq).
      pose proof (raised_ok p q m pp pq) as (vr & pr).
      destruct (val_remainder _ m pr) as [vm plain_m]. rewrite vm, val_number by lia. split.
      + rewrite vr, va, Z.mul_comm, Z_mod_plus_full. lia.
      + split; [exact plain_m | apply number_plain].
  Qed.

  Lemma lower_cond_ok c : guard_val sg (index_env iv) (lower_cond X c) = icond_val sg iv c.
  Proof using BELOW.
    induction c as [|a b|a b|c IHc d IHd|c IHc d IHd|c IHc]; cbn [lower_cond icond_val].
    - reflexivity.
    - pose proof (lower_term_ok a) as A. pose proof (lower_term_ok b) as B.
      destruct (lower_term X a) as [p1 q1], (lower_term X b) as [p2 q2].
      destruct A as (va & _ & _), B as (vb & _ & _). rewrite va, vb.
      assert (left := val_add p1 q2). assert (right := val_add (xadd p2 q1) (number 1)).
      assert (inner := val_add p2 q1). assert (one_val := val_number 1 ltac:(lia)).
      cbn [guard_val]. unfold val in *.
      destruct (Nat.ltb_spec (ixe_val sg (index_env iv) (xadd p1 q2))
                  (ixe_val sg (index_env iv) (xadd (xadd p2 q1) (number 1)))) as [lt|ge];
        symmetry; [apply Z.leb_le | apply Z.leb_gt]; lia.
    - pose proof (lower_term_ok a) as A. pose proof (lower_term_ok b) as B.
      destruct (lower_term X a) as [p1 q1], (lower_term X b) as [p2 q2].
      destruct A as (va & _ & _), B as (vb & _ & _). rewrite va, vb.
      assert (left := val_add p1 q2). assert (right := val_add p2 q1).
      cbn [guard_val]. unfold val in *.
      destruct (Nat.eqb_spec (ixe_val sg (index_env iv) (xadd p1 q2))
                  (ixe_val sg (index_env iv) (xadd p2 q1))) as [same|other];
        symmetry; [apply Z.eqb_eq | apply Z.eqb_neq]; lia.
    - cbn [guard_val]. rewrite IHc, IHd. reflexivity.
    - cbn [guard_val]. rewrite IHc, IHd. reflexivity.
    - cbn [guard_val]. rewrite IHc. reflexivity.
  Qed.

  (** Element t of the axis if there is one, else zero. *)
  Lemma read_at_ok K vs t n e path :
    eval sg K iv vs (read_at facts X t n e) path =
    (if inside (iterm_val sg iv t) (size_val sg n)
     then eval sg K iv vs e (Ix (Z.to_nat (iterm_val sg iv t)) :: path) else cst K zero).
  Proof using FACTS BELOW.
    unfold read_at. pose proof (lower_term_ok t) as T.
    destruct (lower_term X t) as [p q]. destruct T as (vt & pp & pq). rewrite vt.
    set (plain_at := if is_zero q then p else XSub p q).
    destruct (ixe_lt facts X plain_at n) eqn:known.
    - destruct (ixe_lt_sound sg facts FACTS X iv BELOW _ n known) as [safe below_n].
      assert (at_is : (val p - val q)%Z = Z.of_nat (ixe_val sg (index_env iv) plain_at)).
      { unfold plain_at in *. destruct (is_zero q) eqn:zq.
        - rewrite (is_zero_val q zq). unfold val. lia.
        - destruct safe as (_ & _ & q_le). unfold val. cbn [ixe_val]. lia. }
      cbn [eval lay_path]. rewrite at_is, Nat2Z.id. unfold inside.
      destruct (Z.leb_spec 0 (Z.of_nat (ixe_val sg (index_env iv) plain_at))) as [_|neg]; [|lia].
      destruct (Z.ltb_spec (Z.of_nat (ixe_val sg (index_env iv) plain_at))
                  (Z.of_nat (size_val sg n))) as [_|over]; [reflexivity | lia].
    - set (lo := if is_zero q then SConst 0 else upper X q).
      set (at_padded := if is_zero q then p else XSub (xadd p (XSize lo)) q).
      assert (where_at : Z.of_nat (ixe_val sg (index_env iv) at_padded) =
                         (val p - val q + Z.of_nat (size_val sg lo))%Z).
      { unfold at_padded, lo. destruct (is_zero q) eqn:zq.
        - rewrite (is_zero_val q zq). unfold val. cbn. lia.
        - assert (q_le := upper_ok q pq). assert (sum := val_add p (XSize (upper X q))).
          unfold val in *. cbn [ixe_val] in *. lia. }
      cbn [eval lay_path].
      set (i := ixe_val sg (index_env iv) at_padded) in *. unfold inside.
      destruct (Nat.leb_spec (size_val sg lo) i), (Nat.ltb_spec i (size_val sg lo + size_val sg n)),
        (Z.leb_spec 0 (val p - val q)), (Z.ltb_spec (val p - val q) (Z.of_nat (size_val sg n)));
        cbn [andb]; try lia; try reflexivity.
      replace (i - size_val sg lo) with (Z.to_nat (val p - val q)) by lia. reflexivity.
  Qed.
End TERMS.

Section VALUES.
  Context (sg : nat -> nat) (K : scalars).
  Context (facts : list fact) (FACTS : facts_hold sg facts).

  Notation below := (below sg).
  Notation iterm_val := (iterm_val sg).

  (** Where shapes are known, values and tensors agree within them; elsewhere everywhere. *)
  Definition agree (shapes : list (list size)) (vs : list (value K)) (ts : list (tensor K)) : Prop :=
    forall t indices,
      match nth_error shapes t with Some e => below indices e | None => True end ->
      nth t vs (zero_value K) (map Ix indices) = read K ts t indices.

  Notation eval := (eval sg K).

  Section BODY.
    Context (iv : list nat) (X : list size) (BELOW : below iv X).
    Context (shapes : list (list size)) (vs : list (value K)) (ts : list (tensor K)).
    Context (AGREE : agree shapes vs ts).
    Context (pre : list (value K)).

    Definition positions (s : list (iterm * size)) : list nat :=
      map (fun p => Z.to_nat (iterm_val iv (fst p))) s.

    Lemma positions_below s : all_inside sg iv s = true -> below (positions s) (map snd s).
    Proof using.
      induction s as [|[t n] s IHs]; cbn; [constructor|].
      intros all. apply andb_true_iff in all as [here all]. unfold inside in here.
      apply andb_true_iff in here as [low high]. apply Z.leb_le in low. apply Z.ltb_lt in high.
      constructor; [lia | apply IHs, all].
    Qed.

    Lemma reads_through s e q :
      eval iv (pre ++ vs) (fold_left (fun e p => read_at facts X (fst p) (snd p) e) s e) q =
      (if all_inside sg iv s then eval iv (pre ++ vs) e (map Ix (positions s) ++ q)
       else cst K zero).
    Proof using FACTS BELOW.
      revert e. induction s as [|[t n] s IHs]; intros e; [reflexivity|].
      cbn [fold_left fst snd]. rewrite IHs.
      rewrite (read_at_ok sg facts FACTS iv X BELOW).
      change (all_inside sg iv ((t, n) :: s))
        with (inside (iterm_val iv t) (size_val sg n) && all_inside sg iv s).
      destruct (all_inside sg iv s), (inside (iterm_val iv t) (size_val sg n)); reflexivity.
    Qed.

  End BODY.

  Lemma lift_first_val iv k t : iterm_val (k :: iv) (iterm_lift 0 t) = iterm_val iv t.
  Proof using.
    induction t as [i|z|s|a IHa b IHb|z a IHa|a IHa m|a IHa m]; cbn [iterm_lift Kernel.iterm_val];
      rewrite ?IHa, ?IHb; reflexivity.
  Qed.

  Lemma lifted_inside iv k s : all_inside sg (k :: iv) (lifted s) = all_inside sg iv s.
  Proof using.
    unfold lifted. induction s as [|[t n] s IHs]; [reflexivity|].
    cbn [map fst snd all_inside forallb]. rewrite lift_first_val. f_equal. exact IHs.
  Qed.

  Lemma lifted_positions iv k s : positions (k :: iv) (lifted s) = places sg iv s.
  Proof using.
    unfold lifted, positions, places. rewrite map_map. apply map_ext. intros [t n]. cbn [fst].
    rewrite lift_first_val. reflexivity.
  Qed.

  Lemma all_inside_app iv s r : all_inside sg iv (s ++ r) = all_inside sg iv s && all_inside sg iv r.
  Proof using. apply forallb_app. Qed.

  Lemma iterate_at_root n (F : nat -> value K -> value K) (G : nat -> num K -> num K) v a :
    (forall j, j < n -> forall w b, w [] = b -> F j w [] = G j b) ->
    v [] = a -> iterate n F v [] = iterate n G a.
  Proof using.
    intros STEP START. induction n as [|n IHn]; [exact START|].
    cbn [iterate]. apply STEP; [lia|]. apply IHn. intros j j_lt. apply STEP. lia.
  Qed.

  Section BODIES.
    Context (iv : list nat) (X : list size) (BELOW : below iv X).
    Context (shapes : list (list size)) (vs : list (value K)) (ts : list (tensor K)).
    Context (AGREE : agree shapes vs ts).
    Context (pre : list (value K)).

    Lemma lower_element_at_ok n t s r (three : list (value K)) k : k < size_val sg n ->
      match nth_error shapes t with
      | Some e => same_extents (map snd s ++ n :: map snd r) e
      | None => true
      end = true -> length three = 3 ->
      eval (k :: iv) (three ++ pre ++ vs)
        (fold_left (fun e p => read_at facts (n :: X) (fst p) (snd p) e) (lifted s ++ (IVar 0, n) :: lifted r)
           (EVar (length pre + 3 + t))) [] = element_at sg K iv ts t s r k.
    Proof using FACTS BELOW AGREE.
      intros k_lt ok three_is. rewrite app_assoc.
      rewrite (reads_through (k :: iv) (n :: X) ltac:(constructor; assumption)), app_nil_r.
      rewrite all_inside_app. unfold element_at.
      change (all_inside sg (k :: iv) ((IVar 0, n) :: lifted r))
        with (inside (Z.of_nat k) (size_val sg n) && all_inside sg (k :: iv) (lifted r)).
      rewrite !lifted_inside. unfold inside at 1.
      replace (0 <=? Z.of_nat k)%Z with true by (symmetry; apply Z.leb_le; lia).
      replace (Z.of_nat k <? Z.of_nat (size_val sg n))%Z with true by (symmetry; apply Z.ltb_lt; lia).
      cbn [andb]. destruct (all_inside sg iv s) eqn:all_s; [|reflexivity].
      destruct (all_inside sg iv r) eqn:all_r; [|reflexivity]. cbn [andb].
      cbn [Semantics.eval]. replace (length pre + 3 + t) with (length (three ++ pre) + t)
        by (rewrite app_length, three_is; lia).
      rewrite app_nth2_plus.
      assert (PLACES : positions (k :: iv) (lifted s ++ (IVar 0, n) :: lifted r) =
                       places sg iv s ++ k :: places sg iv r).
      { unfold positions. rewrite map_app. cbn [map fst Kernel.iterm_val nth].
        rewrite Nat2Z.id. fold (positions (k :: iv) (lifted s)) (positions (k :: iv) (lifted r)).
        rewrite !lifted_positions. reflexivity. }
      rewrite PLACES. apply AGREE. destruct (nth_error shapes t) as [e|]; [|exact I].
      unfold same_extents in ok. destruct (list_eq_dec size_eq_dec _ e) as [e_is|]; [|discriminate].
      rewrite <- e_is. unfold below, in_bounds. rewrite map_app. cbn [map].
      apply Forall2_app; [apply positions_below, all_s|].
      constructor; [exact k_lt | apply positions_below, all_r].
    Qed.

    Lemma lower_body_ok b : body_reads_ok shapes b = true ->
      eval iv (pre ++ vs) (lower_body facts X (length pre) b) [] = body_val sg K iv ts b.
    Proof using FACTS BELOW AGREE.
      induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa c IHc|o a IHa c IHc d IHd|g a IHa c IHc];
        cbn [body_reads_ok lower_body body_val]; intros ok.
      - destruct c; reflexivity.
      - set (n := plus_size (upper X (fst (lower_term X i))) (SConst 1)).
        rewrite (read_at_ok sg facts FACTS iv X BELOW).
        cbn [Semantics.eval const_at]. unfold inside.
        pose proof (lower_term_ok sg iv X BELOW i) as I. unfold n.
        destruct (lower_term X i) as [p q]. cbn [fst]. destruct I as (value & plain_p & plain_q).
        pose proof (upper_ok sg iv X BELOW p plain_p) as low. rewrite plus_size_val. cbn [size_val].
        unfold val in value. set (z := iterm_val iv i) in *.
        destruct (Z.leb_spec 0 z) as [above|below_zero]; cbn [andb].
        + destruct (Z.ltb_spec z (Z.of_nat (size_val sg (upper X p) + N.to_nat 1))); [reflexivity | lia].
        + replace (Z.to_nat z) with 0 by lia. reflexivity.
      - rewrite (reads_through iv X BELOW), app_nil_r. cbn [Semantics.eval].
        destruct (all_inside sg iv s) eqn:all; [|reflexivity].
        rewrite app_nth2_plus. apply AGREE.
        destruct (nth_error shapes t) as [e|]; [|exact I].
        unfold same_extents in ok. destruct (list_eq_dec size_eq_dec _ e) as [e_is|]; [|discriminate].
        rewrite <- e_is. apply positions_below, all.
      - apply andb_true_iff in ok as [ok_x ok]. cbn [Semantics.eval]. unfold gathered.
        apply iterate_at_root; [|reflexivity]. intros k k_lt w b w_is.
        cbn [ETer EBin Semantics.eval apply_op nth lay_path const_at]. rewrite w_is.
        rewrite (IHx ok_x).
        match goal with
        | |- op3 K Sel _ ?e _ = _ => replace e with (element_at sg K iv ts t s r k)
        end; [reflexivity|]. symmetry.
        exact (lower_element_at_ok n t s r [_; w; _] k k_lt ok eq_refl).
      - cbn [EUn Semantics.eval apply_op]. rewrite IHa by exact ok. reflexivity.
      - apply andb_true_iff in ok as [ok_a ok_c].
        cbn [EBin Semantics.eval apply_op]. rewrite IHa, IHc by assumption. reflexivity.
      - apply andb_true_iff in ok as [ok ok_d]. apply andb_true_iff in ok as [ok_a ok_c].
        cbn [ETer Semantics.eval apply_op]. rewrite IHa, IHc, IHd by assumption. reflexivity.
      - apply andb_true_iff in ok as [ok_a ok_c]. cbn [Semantics.eval].
        rewrite (lower_cond_ok sg iv X BELOW), IHa, IHc by assumption. reflexivity.
    Qed.
  End BODIES.

  Section STATEMENT.
    Context (shapes : list (list size)) (vs : list (value K)) (ts : list (tensor K)).
    Context (AGREE : agree shapes vs ts).

    Lemma lower_step_ok iv X pre c b elem acc :
      below iv X -> body_reads_ok shapes b = true ->
      eval iv (elem :: acc :: pre ++ vs) (lower_step facts X (length pre + 2) c b) [] =
      (if icond_val sg iv c then op2 K Add (acc []) (body_val sg K iv ts b) else acc []).
    Proof using FACTS AGREE.
      intros BELOW ok.
      assert (MORE : eval iv (elem :: acc :: pre ++ vs)
                (EBin Add (EVar 1) (lower_body facts X (length pre + 2) b)) [] =
              op2 K Add (acc []) (body_val sg K iv ts b)).
      { cbn [EBin Semantics.eval apply_op nth].
        rewrite <- (lower_body_ok iv X BELOW shapes vs ts AGREE (elem :: acc :: pre) b ok).
        cbn [length app]. rewrite Nat.add_comm. reflexivity. }
      unfold lower_step. destruct c; [exact MORE | ..].
      all: cbn [Semantics.eval]; rewrite (lower_cond_ok sg iv X BELOW), MORE; reflexivity.
    Qed.

    Lemma lower_fold_ok loops c b : body_reads_ok shapes b = true -> loops <> [] ->
      forall iv X pre start, below iv X ->
      eval iv (pre ++ vs) (lower_fold facts X (length pre) loops c b start) [] =
      fold_val sg K loops c b iv ts (eval iv (pre ++ vs) start []).
    Proof using FACTS AGREE.
      intros ok. induction loops as [|n inner IH]; [congruence|].
      intros _ iv X pre start BELOW. cbn [lower_fold Semantics.eval fold_val size_val].
      apply iterate_at_root; [|reflexivity]. intros j j_lt w a w_is. subst a.
      assert (BELOW_j : below (j :: iv) (n :: X)) by (constructor; assumption).
      set (elem := fun r => eval iv (pre ++ vs) (zeros n) (Ix j :: r)).
      destruct inner as [|m inner].
      - apply lower_step_ok; assumption.
      - rewrite Nat.add_comm.
        apply (IH ltac:(discriminate) (j :: iv) (n :: X) (elem :: w :: pre) (EVar 1) BELOW_j).
    Qed.

    Lemma lower_summand_ok s iv X pre :
      body_reads_ok shapes (su_body s) = true -> below iv X ->
      eval iv (pre ++ vs) (lower_summand facts X (length pre) s) [] = summand_val sg K iv ts s.
    Proof using FACTS AGREE.
      intros ok BELOW. unfold lower_summand, summand_val.
      destruct (su_loops s) as [|n inner].
      - pose proof (lower_body_ok iv X BELOW shapes vs ts AGREE pre (su_body s) ok) as BODY.
        destruct (su_cond s) eqn:c_is; [exact BODY | ..].
        all: cbn [Semantics.eval]; rewrite (lower_cond_ok sg iv X BELOW), BODY; reflexivity.
      - apply (lower_fold_ok (n :: inner)); [exact ok | discriminate | exact BELOW].
    Qed.

    Lemma lower_element_ok l iv X pre :
      forallb (fun r => body_reads_ok shapes (su_body r)) l = true -> below iv X ->
      eval iv (pre ++ vs) (lower_element facts X (length pre) l) [] = element_val sg K iv ts l.
    Proof using FACTS AGREE.
      intros ok BELOW. destruct l as [|s more]; [reflexivity|].
      cbn [forallb] in ok. apply andb_true_iff in ok as [ok_s ok].
      unfold lower_element, element_val.
      assert (START := lower_summand_ok s iv X pre ok_s BELOW).
      revert START ok.
      generalize (lower_summand facts X (length pre) s) as e, (summand_val sg K iv ts s) as a.
      induction more as [|r more IH]; intros e a START ok; [exact START|].
      cbn [forallb] in ok. apply andb_true_iff in ok as [ok_r ok].
      cbn [fold_left]. apply IH; [|exact ok].
      cbn [EBin Semantics.eval apply_op].
      rewrite START, (lower_summand_ok r iv X pre ok_r BELOW). reflexivity.
    Qed.

    Lemma lower_axes_ok l extents :
      forallb (fun r => body_reads_ok shapes (su_body r)) l = true ->
      forall k iv X pre indices, below iv X -> below indices extents ->
      eval iv (pre ++ vs) (lower_axes facts k X (length pre) extents l) (map Ix indices) =
      element_val sg K (rev indices ++ iv) ts l.
    Proof using FACTS AGREE.
      intros ok. induction extents as [|n more IH]; intros k iv X pre indices BELOW INSIDE.
      - inversion INSIDE. subst indices. apply lower_element_ok; assumption.
      - inversion INSIDE as [|i m rest more_is i_lt REST]. subst.
        cbn [lower_axes map Semantics.eval rev].
        set (elem := fun r => eval iv (pre ++ vs) (zeros n) (Ix i :: r)).
        rewrite <- app_assoc. cbn [app].
        apply (IH Seq (i :: iv) (n :: X) (elem :: pre) rest);
          [constructor; assumption | exact REST].
    Qed.

    Lemma lower_statement_ok s indices :
      statement_reads_ok shapes s = true -> below indices (st_extents s) ->
      eval [] vs (lower_statement facts s) (map Ix indices) = statement_val sg K ts s indices.
    Proof using FACTS AGREE.
      intros ok INSIDE. unfold lower_statement, statement_val.
      pose proof (lower_axes_ok (st_summands s) (st_extents s) ok Par [] [] [] indices
                    ltac:(constructor) INSIDE) as AXES.
      rewrite app_nil_r in AXES. exact AXES.
    Qed.
  End STATEMENT.

  Lemma lower_locals_ok l last : forall shapes vs ts indices,
    agree shapes vs ts -> locals_reads_ok shapes l last = true ->
    below indices (st_extents last) ->
    eval [] vs (lower_locals facts l last) (map Ix indices) =
    statement_val sg K (locals_val sg K ts l) last indices.
  Proof using FACTS.
    induction l as [|s more IH]; intros shapes vs ts indices AGREE ok INSIDE.
    - apply (lower_statement_ok shapes); assumption.
    - cbn [locals_reads_ok] in ok. apply andb_true_iff in ok as [ok_s ok].
      cbn [lower_locals Semantics.eval locals_val].
      apply (IH (st_extents s :: shapes)); [|exact ok | exact INSIDE].
      intros [|t] at_t; cbn [nth_error nth]; unfold read; cbn [nth].
      + intros at_below. apply (lower_statement_ok shapes); assumption.
      + apply AGREE.
  Qed.

  (** An input as a tensor. *)
  Definition tensor_of (v : value K) : tensor K := fun indices => v (map Ix indices).

  Lemma agree_inputs vs : agree [] vs (map tensor_of vs).
  Proof using.
    intros t indices _. unfold read. revert t.
    induction vs as [|v vs IH]; intros [|t]; cbn; try reflexivity. apply IH.
  Qed.
End VALUES.

Theorem lower_correct sg K k vs indices :
  facts_hold sg (ik_facts k) -> reads_ok k = true -> below sg indices (st_extents (ik_output k)) ->
  eval sg K [] vs (lower k) (map Ix indices) =
  ikernel_val sg K (map (tensor_of K) vs) k indices.
Proof.
  intros FACTS ok INSIDE.
  apply (lower_locals_ok sg K (ik_facts k) FACTS _ _ [] _ _ _ (agree_inputs sg K vs) ok INSIDE).
Qed.

(** The functional program [k] has the kernel's facts, inputs and output, and its value at every
    element is the kernel's, for all sizes of which the facts hold. With [Certified k text] the C
    text computes the kernel. *)
Definition ComputesIndex (ik : ikernel) (k : source) : Prop :=
  kernel_facts k = ik_facts ik /\
  kernel_inputs k = ik_inputs ik /\
  kernel_output k = array_ty (st_extents (ik_output ik)) /\
  forall sg, facts_hold sg (ik_facts ik) ->
  forall K m indices, below sg indices (st_extents (ik_output ik)) ->
    kernel_value sg K k m (map Ix indices) =
    ikernel_val sg K (map (tensor_of K) (input_values sg K (kernel_inputs k) m)) ik indices.

Definition lowers_to (ik : ikernel) (k : source) : Prop :=
  (kernel_facts k, kernel_inputs k, kernel_output k, kernel_term k, reads_ok ik) =
  (ik_facts ik, ik_inputs ik, array_ty (st_extents (ik_output ik)), lower ik, true).

Theorem lowers_to_sound ik k : lowers_to ik k -> ComputesIndex ik k.
Proof.
  intros same. unfold lowers_to in same. inversion same as [[facts inputs output term ok]].
  split; [exact facts|]. split; [exact inputs|]. split; [exact output|].
  intros sg FACTS K m indices INSIDE. unfold kernel_value. rewrite term, inputs.
  apply lower_correct; assumption.
Qed.

(** All together: under every interleaving, the text leaves the kernel's elements in the output. *)
Theorem certified_index ik k text : Certified k text -> ComputesIndex ik k ->
  exists f, parse text = Some f /\
  forall sg, facts_hold sg (kernel_facts k) ->
  let D := ty_val sg (kernel_output k) in
  forall K junk ie m t, behaves sg K junk (file_body f) ie t ->
  forall indices, below sg indices (st_extents (ik_output ik)) -> inb D (map Ix indices) ->
  run K t m (List.length (kernel_inputs k)) (place_of D (map Ix indices)) =
  ikernel_val sg K (map (tensor_of K) (input_values sg K (kernel_inputs k) m)) ik indices.
Proof.
  intros [(_ & parsed & COMPUTES & _) _] (facts & _ & _ & VALUE). exists (file_of k).
  split; [exact parsed|]. intros sg FACTS D K junk ie m t RUNS indices INSIDE inside.
  destruct (COMPUTES sg FACTS K junk ie m t RUNS) as (result & _).
  etransitivity; [exact (result _ inside)|]. rewrite facts in FACTS. apply (VALUE sg FACTS), INSIDE.
Qed.
