(** What the checked form of a kernel tests before it calls it.

    [NAME_checked] takes what [NAME] takes, and returns a code: 0 where all tests are passed and
    the kernel has been run, otherwise the number of the first test that is not. The tests are
    data, from which the C text is printed, and as which it is read again.

    [ctest] [code_of]   a test, and what is returned where it fails
    [total]     a size that none of some sizes exceeds: of each monomial the largest coefficient
    [tests]     those of a kernel: its sizes are not negative and so small that all indices
                fit; its facts hold; arrays are there; the output does not overlap an input
    [fails] [outcome]   their meaning in C: sums and products of sizes stop at 2^63 - 1
    [outcome_total]     if none fails, sizes are natural numbers with the facts, and fit *)

From Coq Require Import ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax imp.Int64 imp.Int64Limits lower.Flatten.
From Vouch Require Import lower.OffsetProof.
Import ListNotations.

Inductive ctest : Type :=
| Negative (v : nat)
| TooLarge (s : size)
| Broken (a b : size)                    (* a <= b is assumed *)
| Missing (v : nat) (n : size)           (* variable v, an array of n scalars *)
| Overlap (v : nat) (n : size) (w : nat) (m : size).   (* variables v and w, of n and m bytes *)

Definition code_of (t : ctest) : N :=
  match t with
  | Negative _ => 1
  | TooLarge _ => 2
  | Broken _ _ => 3
  | Missing _ _ => 4
  | Overlap _ _ _ _ => 5
  end.

(** Returned where memory for a temporary cannot be had. *)
Definition no_memory_code : N := 6.

Fixpoint max_term (m : mono) (c : Z) (p : poly) : poly :=
  match p with
  | [] => [(m, c)]
  | (n, d) :: r =>
      match mono_compare m n with
      | Eq => (n, Z.max c d) :: r
      | Lt => (m, c) :: p
      | Gt => (n, d) :: max_term m c r
      end
  end.

Definition max_poly (p q : poly) : poly :=
  fold_left (fun r t => max_term (fst t) (snd t) r) p q.

Definition atom_size (a : atom) : size :=
  match a with
  | AVar v => SVar v
  | AQuot v d => SPart (Quot d) v
  | AStarted v d => SPart (Started d) v
  end.

Definition mono_size (c : Z) (m : mono) : size :=
  match m with
  | [] => SConst (Z.to_N c)
  | v :: r =>
      fold_left (fun s w => SMul s (atom_size w)) r
        (if Z.eqb c 1 then atom_size v else SMul (SConst (Z.to_N c)) (atom_size v))
  end.

Definition poly_size (p : poly) : size :=
  match p with
  | [] => SConst 0
  | t :: r =>
      fold_left (fun s u => SAdd s (mono_size (snd u) (fst u))) r (mono_size (snd t) (fst t))
  end.

(** At least as large, without parts. *)
Fixpoint loose (s : size) : size :=
  match s with
  | SVar _ | SConst _ => s
  | SAdd a b => SAdd (loose a) (loose b)
  | SMul a b => SMul (loose a) (loose b)
  | SPart _ v => SVar v
  end.

Lemma loose_above sg s : (size_val sg s <= size_val sg (loose s))%nat.
Proof.
  induction s as [v|c|a IHa b IHb|a IHa b IHb|p v]; cbn [loose size_val]; try lia.
  - apply Nat.mul_le_mono; assumption.
  - apply part_le.
Qed.

Definition total (sizes : list size) : size :=
  poly_size (fold_left (fun p s => max_poly (norm s) p) sizes []).

Definition is_array (d : ty) : bool := match d with TNum => false | _ => true end.

(** The inputs that are arrays, with their numbers. *)
Definition arrays (G : list ty) : list (nat * ty) :=
  filter (fun a => is_array (snd a)) (combine (seq 0 (length G)) G).

(** All sizes that the tests speak of, and those that must fit anyway: no element has more than
    eight bytes. *)
Definition sizes_to_fit (facts : list fact) (limits : list size) (G : list ty) (d : ty)
  : list size :=
  limits ++ flat_map (fun f => [fst f; snd f]) facts ++
  map (fun a => SMul (SConst 8) (ty_size a)) (d :: G).

(** How many bytes the array v is long, if its elements are [width v]. *)
Definition length_in_bytes (width : nat -> N) (v : nat) (d : ty) : size :=
  size_mul (SConst (width v)) (ty_size d).

Definition tests (width : nat -> N) (count : nat) (facts : list fact) (limits : list size) (G : list ty) (d : ty)
  : list ctest :=
  let largest := total (map loose (sizes_to_fit facts limits G d)) in
  let out := length G in
  map Negative (seq 0 count) ++
  match largest with SConst _ => [] | _ => [TooLarge largest] end ++
  map (fun f => Broken (fst f) (snd f)) facts ++
  map (fun a => Missing (fst a) (ty_size (snd a))) (arrays G) ++ [Missing out (ty_size d)] ++
  map (fun a => Overlap out (length_in_bytes width out d) (fst a)
                  (length_in_bytes width (fst a) (snd a))) (arrays G).

(** Nothing that must fit exceeds the size that is tested, which itself fits if it is a number. *)
Definition tests_enough (facts : list fact) (limits : list size) (G : list ty) (d : ty) : bool :=
  let all := map loose (sizes_to_fit facts limits G d) in
  let largest := total all in
  forallb (fun s => size_leb [] s largest) all &&
  match largest with SConst c => N.ltb c (2 ^ 63 - 1) | _ => true end.

Local Open Scope Z_scope.

Section OUTCOME.
  (** The sizes, as the caller gives them; the addresses of the arrays, 0 for none. *)
  Context (sz : nat -> Z) (at_address : nat -> Z).

  (** [size_sum] and [size_product] of the C text. *)
  Definition sum_of (x y : Z) : Z := if max_int64 - 1 - y <? x then max_int64 - 1 else x + y.
  Definition product_of (x y : Z) : Z :=
    if y =? 0 then 0 else if (max_int64 - 1) / y <? x then max_int64 - 1 else x * y.

  Definition part_stopped (p : part) (x : Z) : Z :=
    match p with
    | Quot d => Z.quot x (Zpos d)
    | Rem d => Z.rem x (Zpos d)
    | Digit d c => Z.rem (Z.quot x (Zpos d)) (Zpos c)
    | Started d => Z.quot (Z.rem x (Zpos d) + (Zpos d - 1)) (Zpos d)
    end.

  Fixpoint stopped (s : size) : Z :=
    match s with
    | SVar v => sz v
    | SConst c => Z.min (Z.of_N c) (max_int64 - 1)
    | SAdd a b => sum_of (stopped a) (stopped b)
    | SMul a b => product_of (stopped a) (stopped b)
    | SPart p v => part_stopped p (sz v)
    end.

  (** Arrays of n and m bytes at p and q have a byte in common. *)
  Definition overlapping (p n q m : Z) : bool :=
    (0 <? n) && (0 <? m) && (if p <? q then q - p <? n else p - q <? m).

  Definition fails (t : ctest) : bool :=
    match t with
    | Negative v => sz v <? 0
    | TooLarge s => stopped s =? max_int64 - 1
    | Broken a b => stopped b <? stopped a
    | Missing v n => (at_address v =? 0) && (0 <? stopped n)
    | Overlap v n w m => overlapping (at_address v) (stopped n) (at_address w) (stopped m)
    end.

  Fixpoint outcome (l : list ctest) : N :=
    match l with
    | [] => 0%N
    | t :: r => if fails t then code_of t else outcome r
    end.

  Lemma outcome_passed l : outcome l = 0%N -> forall t, In t l -> fails t = false.
  Proof using.
    induction l as [|t l IHl]; simpl; intros passed u; [contradiction|].
    destruct (fails t) eqn:failed; [destruct t; discriminate|].
    intros [same|there]; [congruence | exact (IHl passed u there)].
  Qed.

  Definition natural (v : nat) : nat := Z.to_nat (sz v).

  Context (NATURAL : forall v, 0 <= sz v < max_int64).

  Lemma sum_of_val X Y : 0 <= X -> 0 <= Y ->
    sum_of (Z.min X (max_int64 - 1)) (Z.min Y (max_int64 - 1)) = Z.min (X + Y) (max_int64 - 1).
  Proof using.
    intros X_nat Y_nat. unfold sum_of.
    assert (MOST : 0 <= max_int64 - 1) by discriminate.
    revert MOST. generalize (max_int64 - 1). intros most MOST.
    destruct (Z.ltb_spec (most - Z.min Y most) (Z.min X most)); lia.
  Qed.

  Lemma product_of_val X Y : 0 <= X -> 0 <= Y ->
    product_of (Z.min X (max_int64 - 1)) (Z.min Y (max_int64 - 1)) =
    Z.min (X * Y) (max_int64 - 1).
  Proof using.
    intros X_nat Y_nat. unfold product_of.
    assert (MOST : 2 <= max_int64 - 1) by discriminate.
    revert MOST. generalize (max_int64 - 1). intros most MOST.
    destruct (Z.eqb_spec (Z.min Y most) 0) as [none|some].
    { replace Y with 0 by lia. lia. }
    assert (x_is : Z.min X most = X /\ X <= most \/ Z.min X most = most /\ most < X) by lia.
    assert (y_is : Z.min Y most = Y /\ Y <= most \/ Z.min Y most = most /\ most < Y) by lia.
    destruct (Z.ltb_spec (most / Z.min Y most) (Z.min X most)) as [above|below].
    - assert (most < Z.min X most * Z.min Y most).
      { pose proof (Z.mul_succ_div_gt most (Z.min Y most)). nia. }
      assert (Z.min X most * Z.min Y most <= X * Y) by (apply Z.mul_le_mono_nonneg; lia).
      lia.
    - assert (Z.min X most * Z.min Y most <= most).
      { pose proof (Z.mul_div_le most (Z.min Y most)). nia. }
      destruct x_is as [[x_is small_x]|[x_is large_x]];
        destruct y_is as [[y_is small_y]|[y_is large_y]]; rewrite x_is, y_is in *.
      + lia.
      + assert (X = 0 \/ X = 1) as [X_is|X_is] by nia; rewrite X_is; lia.
      + assert (Y = 0 \/ Y = 1) as [Y_is|Y_is] by nia; rewrite Y_is; lia.
      + nia.
  Qed.

  Lemma part_stopped_val p x : part_stopped p (Z.of_nat x) = Z.of_nat (part_val p x).
  Proof using.
    assert (QUOT : forall y d, Z.quot (Z.of_nat y) (Zpos d) = Z.of_nat (y / Pos.to_nat d)).
    { intros y d. rewrite Z.quot_div_nonneg, Nat2Z.inj_div, positive_nat_Z by lia. reflexivity. }
    assert (REM : forall y d, Z.rem (Z.of_nat y) (Zpos d) = Z.of_nat (y mod Pos.to_nat d)).
    { intros y d. rewrite Z.rem_mod_nonneg, Nat2Z.inj_mod, positive_nat_Z by lia. reflexivity. }
    destruct p as [d|d|d c|d]; cbn [part_stopped part_val]; rewrite ?QUOT, ?REM; try reflexivity.
    replace (Z.of_nat (x mod Pos.to_nat d) + (Z.pos d - 1)) with (Z.of_nat (x mod Pos.to_nat d + (Pos.to_nat d - 1)))
      by (pose proof (positive_nat_Z d); lia).
    apply QUOT.
  Qed.

  Lemma stopped_val s : stopped s = Z.min (Z.of_nat (size_val natural s)) (max_int64 - 1).
  Proof using NATURAL.
    induction s as [v|c|a IHa b IHb|a IHa b IHb|p v]; cbn [stopped size_val].
    - unfold natural. specialize (NATURAL v). lia.
    - rewrite N_nat_Z. reflexivity.
    - rewrite IHa, IHb, Nat2Z.inj_add. apply sum_of_val; lia.
    - rewrite IHa, IHb, Nat2Z.inj_mul. apply product_of_val; lia.
    - rewrite <- part_stopped_val. unfold natural. specialize (NATURAL v). rewrite Z2Nat.id by lia.
      pose proof (part_stopped_val p (Z.to_nat (sz v))) as VAL. rewrite Z2Nat.id in VAL by lia.
      pose proof (part_le p (Z.to_nat (sz v))). lia.
  Qed.
End OUTCOME.

(** What is known where no test fails: sizes are natural numbers, with the facts; what must fit
    does; each array that has elements is there; no element of the output is one of an input. *)
Theorem outcome_passed_means width count facts limits G d sz at_address :
  (forall v, (width v <= 8)%N) ->
  tests_enough facts limits G d = true ->
  (forall v, - max_int64 <= sz v < max_int64) ->
  (forall v, (count <= v)%nat -> sz v = 0) ->
  outcome sz at_address (tests width count facts limits G d) = 0%N ->
  let sg := natural sz in
  (forall v, 0 <= sz v) /\ facts_hold sg facts /\ Forall (fits sg) limits /\
  forall v a, In (v, a) (arrays G ++ [(length G, d)]) ->
    let bytes w e := Z.of_N (width w) * Z.of_nat (size_val sg (ty_size e)) in
    (0 < bytes v a -> at_address v <> 0) /\
    (In (v, a) (arrays G) -> 0 < bytes v a -> 0 < bytes (length G) d ->
     at_address v + bytes v a <= at_address (length G) \/
     at_address (length G) + bytes (length G) d <= at_address v).
Proof.
  intros WIDTH enough range none passed sg.
  pose proof (outcome_passed sz at_address _ passed) as PASSED. clear passed.
  assert (NATURAL : forall v, 0 <= sz v < max_int64).
  { intros v. specialize (range v). destruct (Nat.ltb_spec v count) as [inside|outside].
    - assert (fails sz at_address (Negative v) = false) as not_negative.
      { apply PASSED. unfold tests. apply in_app_iff. left. apply in_map, in_seq. lia. }
      simpl in not_negative. apply Z.ltb_ge in not_negative. lia.
    - rewrite (none v outside) in *. unfold max_int64 in *. lia. }
  set (all := sizes_to_fit facts limits G d) in *.
  apply andb_true_iff in enough as [dominated constant]. fold all in dominated, constant.
  set (most := total (map loose all)) in *.
  assert (FITS : Z.of_nat (size_val sg most) < max_int64 - 1).
  { assert (fails sz at_address (TooLarge most) = false \/
            exists c, most = SConst c) as [small|[c total_is]].
    { unfold most in *. destruct (total (map loose all)) as [v|c|a b|a b|p v] eqn:total_is; [left|right; eauto|left..];
        apply PASSED; unfold tests; fold all; rewrite total_is; apply in_app_iff; right;
        apply in_app_iff; left; left; reflexivity. }
    - cbn [fails] in small. apply Z.eqb_neq in small. rewrite (stopped_val sz NATURAL) in small.
      fold sg in small. lia.
    - rewrite total_is in *. apply N.ltb_lt in constant. simpl. rewrite N_nat_Z.
      unfold max_int64. lia. }
  assert (EXACT : forall s, In s all -> Z.of_nat (size_val sg s) < max_int64 - 1 /\
                            stopped sz s = Z.of_nat (size_val sg s)).
  { intros s s_in. rewrite forallb_forall in dominated. specialize (dominated (loose s) (in_map loose _ _ s_in)).
    apply (size_leb_sound sg []) in dominated; [|intros a b no; destruct no].
    pose proof (loose_above sg s). rewrite (stopped_val sz NATURAL). fold sg. lia. }
  assert (BYTES : forall a, In a (d :: G) ->
            stopped sz (ty_size a) = Z.of_nat (size_val sg (ty_size a)) /\
            forall v, stopped sz (length_in_bytes width v a) =
                      Z.of_N (width v) * Z.of_nat (size_val sg (ty_size a))).
  { intros a a_in.
    assert (In (SMul (SConst 8) (ty_size a)) all) as there.
    { unfold all, sizes_to_fit. apply in_app_iff. right. apply in_app_iff. right.
      exact (in_map (fun e => SMul (SConst 8) (ty_size e)) _ _ a_in). }
    apply EXACT in there as [small _]. cbn [size_val] in small.
    rewrite Nat2Z.inj_mul, N_nat_Z in small.
    split; [rewrite (stopped_val sz NATURAL); fold sg; lia|]. intros v. specialize (WIDTH v).
    rewrite (stopped_val sz NATURAL). fold sg. unfold length_in_bytes.
    rewrite size_mul_val, Nat2Z.inj_mul. cbn [size_val]. rewrite N_nat_Z. nia. }
  split; [apply NATURAL|]. split; [|split].
  - intros a b fact_in.
    assert (fails sz at_address (Broken a b) = false) as kept.
    { apply PASSED. unfold tests. do 2 (apply in_app_iff; right). apply in_app_iff. left.
      apply in_map_iff. exists (a, b). auto. }
    simpl in kept. apply Z.ltb_ge in kept.
    assert (In a all /\ In b all) as [a_in b_in].
    { unfold all, sizes_to_fit.
      split; apply in_app_iff; right; apply in_app_iff; left; apply in_flat_map;
        exists (a, b); simpl; auto. }
    apply EXACT in a_in as [_ a_is]. apply EXACT in b_in as [_ b_is]. lia.
  - apply Forall_forall. intros s s_in. unfold fits.
    assert (In s all) as there by (unfold all, sizes_to_fit; apply in_app_iff; auto).
    apply EXACT in there as [small _]. lia.
  - intros v a a_in bytes.
    assert (d_in : In d (d :: G)) by (left; reflexivity).
    assert (a_there : In a (d :: G)).
    { apply in_app_iff in a_in as [a_in|[same|no]]; [|left; congruence|contradiction].
      apply filter_In in a_in as [a_in _]. right. exact (in_combine_r _ _ _ _ a_in). }
    destruct (BYTES d d_in) as [_ OUT]. destruct (BYTES a a_there) as [A A_BYTES].
    split.
    + intros some.
      assert (fails sz at_address (Missing v (ty_size a)) = false) as there.
      { apply PASSED. unfold tests. do 3 (apply in_app_iff; right).
        apply in_app_iff in a_in as [a_in|[same|no]]; [| |contradiction].
        - apply in_app_iff. left. apply in_map_iff. exists (v, a). auto.
        - apply in_app_iff. right. apply in_app_iff. left. left. congruence. }
      simpl in there. apply andb_false_iff in there as [there|there].
      * apply Z.eqb_neq in there. exact there.
      * apply Z.ltb_ge in there. unfold bytes in some. nia.
    + intros input some some_out.
      assert (fails sz at_address (Overlap (length G) (length_in_bytes width (length G) d) v
                                     (length_in_bytes width v a)) = false) as apart.
      { apply PASSED. unfold tests. do 5 (apply in_app_iff; right). apply in_map_iff.
        exists (v, a). auto. }
      cbn [fails] in apart. rewrite OUT, A_BYTES in apart. unfold overlapping in apart.
      unfold bytes in *.
      apply andb_false_iff in apart as [apart|apart];
        [apply andb_false_iff in apart as [apart|apart]; apply Z.ltb_ge in apart; lia|].
      destruct (Z.ltb_spec (at_address (length G)) (at_address v)); apply Z.ltb_ge in apart; lia.
Qed.
