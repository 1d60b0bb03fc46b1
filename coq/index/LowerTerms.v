(** Index terms and guarded reads, lowered, mean what they say.

    [below]            indices within their extents
    [lower_term_ok]    an index term is the difference of its two natural numbers
    [lower_cond_ok]    a guard is the condition
    [read_at_ok]       a read finds zero outside of its axis *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing array.Check.
From Vouch Require Import array.IndexProof.
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
    destruct e as [|s| | | | |]; try discriminate. destruct s as [|n| | |]; try discriminate.
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
    destruct a as [v|[|c]|a1 a2|a1 a2|p v], b as [w|[|d]|b1 b2|b1 b2|q w]; cbn [plus_size size_val]; lia.
  Qed.

  Lemma times_size_val a b : size_val sg (times_size a b) = size_val sg a * size_val sg b.
  Proof using. destruct a as [v|c|a1 a2|a1 a2|p v], b as [w|d|b1 b2|b1 b2|q w]; cbn [times_size size_val]; lia. Qed.

  Lemma most_at_least n : size_val sg n <= size_val sg (most n).
  Proof using.
    destruct n as [v|c|a b|a b|[d|d|d c|d] v]; cbn [most]; try lia;
      cbn [size_val part_val]; rewrite ?N2Nat.inj_pred, ?positive_N_nat;
      pose proof (Pos2Nat.is_pos d) as d_pos.
    - pose proof (Nat.mod_upper_bound (sg v) (Pos.to_nat d) ltac:(lia)). lia.
    - pose proof (Pos2Nat.is_pos c).
      pose proof (Nat.mod_upper_bound (sg v / Pos.to_nat d) (Pos.to_nat c) ltac:(lia)). lia.
    - pose proof (Nat.mod_upper_bound (sg v) (Pos.to_nat d) ltac:(lia)).
      change (N.to_nat 1) with 1. apply Nat.lt_succ_r, Nat.div_lt_upper_bound; lia.
  Qed.

  Lemma last_at_least n i : i < size_val sg n -> i <= size_val sg (last n).
  Proof using.
    intros below. pose proof (most_at_least n). unfold last.
    destruct (most n) as [v|c|a b|a b|p v]; try lia. cbn [size_val] in *. lia.
  Qed.

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
    - apply most_at_least.
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
        unfold val, turns. destruct (upper X q) as [v|u|a b|a b|p' v]; try (apply times, q_le).
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
    destruct (upper X x) as [v|u|y z|y z|p' v]; try discriminate. apply N.ltb_lt in below_m.
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
    - destruct s as [v|c|y z|y z|p' v]; try discriminate. injection blocks as a_is b_is. subst a b.
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
      destruct s as [v|c|y z|y z|p' v]; try discriminate.
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
