(** Tangents of kernels: their value over dual numbers; and the chain rule on bodies.

    [dual K]       x + x' e with e * e = 0, as scalars: what a kernel means over these is its value
                   and its tangent
    [paired]       tensors of duals from values and tangents
    [tangent]      of a kernel at inputs, in a direction
    [occurrences]  of the tensors that vary in a body, each with its condition and cofactor; where the
                   index is data, under a loop of its own over the axis, in which the one position
                   that the data names counts; sound by [occurrences_sound] *)

From Coq Require Import Arith ZArith List Bool Lia Ring_theory.
From Vouch Require Import lib.Size array.Syntax array.Semantics index.Kernel.
From Vouch Require Import adjoint.Points adjoint.Rings adjoint.Slopes adjoint.Substitute.
Import ListNotations.

Section DUAL.
  Context (K : scalars).

  Fixpoint slope_val (args : list (num K)) (result : num K) (s : slope) : num K :=
    match s with
    | DArg k => nth k args (cst K zero)
    | DResult => result
    | DCon c => cst K c
    | DOp1 o a => op1 K o (slope_val args result a)
    | DOp2 o a b => op2 K o (slope_val args result a) (slope_val args result b)
    | DOp3 o a b c => op3 K o (slope_val args result a) (slope_val args result b) (slope_val args result c)
    end.

  Lemma slope_body_val sg iv ts args result s :
    body_val sg K iv ts (slope_body args result s) =
    slope_val (map (body_val sg K iv ts) args) (body_val sg K iv ts result) s.
  Proof using Type.
    induction s as [k| |c|o a IHa|o a IHa b IHb|o a IHa b IHb c IHc]; cbn; try congruence.
    change (cst K zero) with (body_val sg K iv ts (BCon zero)). now rewrite map_nth.
  Qed.

  Notation "x + y" := (op2 K Add x y).
  Notation "x * y" := (op2 K Mul x y).

  Definition dual : scalars := {|
    num := (num K * num K)%type;
    cst := fun c => (cst K c, cst K zero);
    op1 := fun o x =>
      let r := op1 K o (fst x) in
      (r, match slope1 o with
          | Some d => slope_val [fst x] r d * snd x
          | None => cst K zero
          end);
    op2 := fun o x y =>
      let r := op2 K o (fst x) (fst y) in
      let d := slope_val [fst x; fst y] r in
      (r, d (fst (slope2 o)) * snd x + d (snd (slope2 o)) * snd y);
    op3 := fun o x y z =>
      let r := op3 K o (fst x) (fst y) (fst z) in
      let d := slope_val [fst x; fst y; fst z] r in
      let '(dx, dy, dz) := slope3 o in
      (r, d dx * snd x + (d dy * snd y + d dz * snd z))
  |}.

  Definition pair_of (x v : tensor K) : tensor dual := fun at_ => (x at_, v at_).
  Definition paired (ts vs : list (tensor K)) : list (tensor dual) :=
    map (fun p => pair_of (fst p) (snd p)) (combine ts vs).

  (** The tangent of the output at [inputs], where they vary by [directions]. *)
  Definition tangent (sg : nat -> nat) (inputs directions : list (tensor K)) (k : ikernel) : tensor K :=
    fun at_ => snd (ikernel_val sg dual (paired inputs directions) k at_).

  Lemma read_paired ts vs t at_ : length ts = length vs ->
    read dual (paired ts vs) t at_ = (read K ts t at_, read K vs t at_).
  Proof using Type.
    unfold read, paired. intros same.
    change (fun _ : list nat => cst dual zero) with (pair_of (fun _ => cst K zero) (fun _ => cst K zero)).
    revert vs same t. induction ts as [|x ts IHts]; intros [|v vs] same [|t]; try discriminate; try reflexivity.
    cbn [combine map nth]. apply IHts. now injection same.
  Qed.

  Lemma element_at_paired sg iv ts vs t before after k : length ts = length vs ->
    element_at sg dual iv (paired ts vs) t before after k =
    (element_at sg K iv ts t before after k, element_at sg K iv vs t before after k).
  Proof using Type.
    intros same. unfold element_at. rewrite read_paired by assumption.
    now destruct (all_inside sg iv before && all_inside sg iv after).
  Qed.

  Lemma gathered_fst n x (f : nat -> num dual) (g : nat -> num K) : (forall k, fst (f k) = g k) ->
    fst (gathered dual n x f) = gathered K n (fst x) g.
  Proof using Type.
    intros firsts. unfold gathered. induction n as [|n IHn]; [reflexivity|].
    cbn [iterate]. rewrite <- IHn, <- firsts. reflexivity.
  Qed.

  Lemma body_fst sg iv ts vs b : length ts = length vs ->
    fst (body_val sg dual iv (paired ts vs) b) = body_val sg K iv ts b.
  Proof using Type.
    intros same. induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa b IHb|o a IHa b IHb c IHc|g a IHa b IHb]; cbn [body_val].
    - reflexivity.
    - reflexivity.
    - destruct (all_inside sg iv s); [|reflexivity]. now rewrite read_paired.
    - rewrite <- IHx. apply gathered_fst. intros k. now rewrite element_at_paired.
    - cbn. now rewrite IHa.
    - cbn. now rewrite IHa, IHb.
    - cbn. destruct (slope3 o) as [[dx dy] dz]. cbn. now rewrite IHa, IHb, IHc.
    - now destruct (icond_val sg iv g).
  Qed.
End DUAL.

(** ** The chain rule *)

Record occurrence : Type := {
  oc_own : list size;  (* loops of its own, inside all others *)
  oc_tensor : nat;
  oc_at : list (iterm * size);
  oc_cond : icond;
  oc_cofactor : ibody
}.

Definition is_zero (s : slope) : bool :=
  match s with DCon (Dyadic Z0 Z0) => true | _ => false end.

Definition with_both {A} (a b : option (list A)) : option (list A) :=
  match a, b with Some l, Some m => Some (l ++ m) | _, _ => None end.

Section CHAIN.
  (** The tensors that vary. *)
  Context (active : nat -> bool).

  (** What an operation does not follow, such as a condition, does not count. *)
  Fixpoint varies (b : ibody) : bool :=
    let by_slope d v := negb (is_zero d) && v in
    match b with
    | BCon _ | BIndex _ => false
    | BRead t _ => active t
    | BGather _ _ t _ _ => active t
    | BOp1 o a => match slope1 o with Some d => by_slope d (varies a) | None => varies a end
    | BOp2 o a c => by_slope (fst (slope2 o)) (varies a) || by_slope (snd (slope2 o)) (varies c)
    | BOp3 o a c d =>
        let '(dx, dy, dz) := slope3 o in
        by_slope dx (varies a) || by_slope dy (varies c) || by_slope dz (varies d)
    | BIf _ a c => varies a || varies c
    end.

  (** The number of index variables. *)
  Context (depth : nat).

  (** What reads the element, under a loop more. *)
  Definition chosen_position (x : ibody) (n : size) (t : nat) (before after : list (iterm * size))
      (seed : ibody) (cond : icond) : occurrence :=
    let up := variables 1 depth in
    {| oc_own := [n];
       oc_tensor := t;
       oc_at := subscripts_at up before ++ (IVar 0, n) :: subscripts_at up after;
       oc_cond := cond_at up cond;
       oc_cofactor := BOp2 Mul (body_at up seed)
         (BOp3 Sel (BOp2 Equal (body_at up x) (BIndex (IVar 0))) (BCon one) (BCon zero)) |}.

  Fixpoint occurrences (seed : ibody) (cond : icond) (b : ibody) : option (list occurrence) :=
    let by_slope d args a := 
      if is_zero d || negb (varies a) then Some []
      else occurrences (BOp2 Mul seed (slope_body args b d)) cond a in
    match b with
    | BCon _ | BIndex _ => Some []
    | BRead t s =>
        Some (if active t then [{| oc_own := []; oc_tensor := t; oc_at := s; oc_cond := cond; oc_cofactor := seed |}]
              else [])
    | BGather x n t s r => Some (if active t then [chosen_position x n t s r seed cond] else [])
    | BOp1 o a =>
        match slope1 o with
        | Some d => by_slope d [a] a
        | None => if varies a then None else Some []
        end
    | BOp2 o a c => with_both (by_slope (fst (slope2 o)) [a; c] a) (by_slope (snd (slope2 o)) [a; c] c)
    | BOp3 o a c e =>
        let '(dx, dy, dz) := slope3 o in
        with_both (by_slope dx [a; c; e] a) (with_both (by_slope dy [a; c; e] c) (by_slope dz [a; c; e] e))
    | BIf g a c => with_both (occurrences seed (CAnd cond g) a) (occurrences seed (CAnd cond (CNot g)) c)
    end.

  Section SOUND.
    Context (sg : nat -> nat) (K : scalars) (RING : ring_like K) (ts vs : list (tensor K)).
    Context (SAME : length ts = length vs)
      (FIXED : forall t at_, active t = false -> read K vs t at_ = cst K zero).

    Notation "0" := (cst K zero).
    Notation "x + y" := (op2 K Add x y).
    Notation "x * y" := (op2 K Mul x y).

    Let laws := ring_laws K RING.
    Add Ring scalar_ring : laws.

    Definition occurrence_val (w : list nat) (o : occurrence) : num K :=
      if icond_val sg w (oc_cond o) && all_inside sg w (oc_at o)
      then body_val sg K w ts (oc_cofactor o) * read K vs (oc_tensor o) (place sg w (oc_at o)) else 0.

    (** Over its own loops. *)
    Definition occurrence_sum (w : list nat) (o : occurrence) : num K :=
      lsum K (points (sizes_val sg (oc_own o)) w) (fun v => occurrence_val v o).

    Lemma is_zero_val args r d : is_zero d = true -> slope_val K args r d = 0.
    Proof using Type.
      destruct d as [k| |[m e|n|]|o a|o a b|o a b c]; cbn; try discriminate. destruct m, e; try discriminate. reflexivity.
    Qed.

    Lemma by_slope_fixed args r d x : (x = 0 \/ is_zero d = true) -> slope_val K args r d * x = 0.
    Proof using RING. intros [->|zero_slope]; [ring|]. rewrite is_zero_val by assumption. ring. Qed.

    Lemma not_by_slope d v : negb (is_zero d) && v = false -> v = false \/ is_zero d = true.
    Proof using Type. destruct (is_zero d); auto. Qed.

    Lemma gathered_fixed w n x t before after : active t = false ->
      snd (gathered (dual K) n x (element_at sg (dual K) w (paired K ts vs) t before after)) = 0.
    Proof using RING SAME FIXED.
      intros fixed. unfold gathered. induction n as [|n IHn]; [reflexivity|]. cbn [iterate].
      set (a := iterate n _ _) in *. rewrite element_at_paired by assumption.
      assert (still : element_at sg K w vs t before after n = 0).
      { unfold element_at. destruct (_ && _)%bool; [now apply FIXED|reflexivity]. }
      rewrite still. cbn [op3 dual slope3 snd fst slope_val D0 D1 nth]. rewrite IHn. ring.
    Qed.

    (** Of the positions at most one is named, so the last that is named is the sum of all. *)
    Lemma gathered_sum n x (e : nat -> num (dual K)) :
      snd (gathered (dual K) n x e) =
      lsum K (seq 0 n) (fun k =>
        op3 K Sel (op2 K Equal (fst x) (position K k)) (cst K one) 0 * snd (e k)).
    Proof using RING.
      clear SAME. unfold gathered. induction n as [|n IHn]; [reflexivity|]. cbn [iterate].
      set (a := iterate n _ _) in *. rewrite seq_S, lsum_app by assumption. cbn [Nat.add fsum].
      cbn [op3 dual slope3 snd fst slope_val D0 D1 nth op2 position cst] in *.
      change (cst K (Dyadic (Z.of_nat n) 0)) with (position K n).
      destruct (comparisons K RING Equal (fst x) (position K n) eq_refl) as [hit|missed].
      - rewrite hit, !(truths K RING true). rewrite IHn.
        rewrite (lsum_zero K RING (seq 0 n)); [ring|]. intros k k_in. apply in_seq in k_in.
        rewrite (positions_apart K RING _ n k) by (assumption || lia). rewrite (truths K RING false). ring.
      - rewrite missed, !(truths K RING false), IHn. ring.
    Qed.

    Lemma up_val w k : length w = depth -> point (variables 1 depth) sg (k :: w) = w.
    Proof using Type.
      intros size. unfold point, variables. rewrite map_map. cbn [iterm_val].
      rewrite <- size, <- seq_shift, map_map. cbn [nth].
      rewrite (map_ext _ (fun i => nth i w O)) by (intros i; apply Nat2Z.id). apply map_nth_all.
    Qed.

    Lemma up_nonneg v : Forall (fun t => 0 <= iterm_val sg v t)%Z (variables 1 depth).
    Proof using Type.
      clear SAME. apply Forall_forall. intros t t_in. apply in_map_iff in t_in as (i & <- & _). cbn. lia.
    Qed.

    Lemma position_occurrence_val w k x n t s r seed cond :
      length w = depth -> (k < size_val sg n)%nat ->
      occurrence_val (k :: w) (chosen_position x n t s r seed cond) =
      (if icond_val sg w cond
       then body_val sg K w ts seed *
         (op3 K Sel (op2 K Equal (body_val sg K w ts x) (position K k)) (cst K one) 0 *
          element_at sg K w vs t s r k) else 0).
    Proof using RING.
      clear SAME. intros size k_lt. pose proof (up_nonneg (k :: w)) as nonneg. pose proof (up_val w k size) as up.
      unfold occurrence_val, chosen_position. cbn [oc_cond oc_at oc_cofactor oc_tensor].
      rewrite <- cond_at_val, up by assumption.
      assert (inside_at : all_inside sg (k :: w)
          (subscripts_at (variables 1 depth) s ++ (IVar 0, n) :: subscripts_at (variables 1 depth) r) =
        (all_inside sg w s && all_inside sg w r)%bool).
      { unfold all_inside at 1. rewrite forallb_app. cbn [forallb fst snd iterm_val nth].
        fold (all_inside sg (k :: w) (subscripts_at (variables 1 depth) s)).
        fold (all_inside sg (k :: w) (subscripts_at (variables 1 depth) r)).
        rewrite <- !all_inside_at, up by assumption. unfold inside.
        replace ((0 <=? Z.of_nat k)%Z) with true by (symmetry; apply Z.leb_le; lia).
        replace ((Z.of_nat k <? Z.of_nat (size_val sg n))%Z) with true by (symmetry; apply Z.ltb_lt; lia).
        reflexivity. }
      assert (place_at : place sg (k :: w)
          (subscripts_at (variables 1 depth) s ++ (IVar 0, n) :: subscripts_at (variables 1 depth) r) =
        places sg w s ++ k :: places sg w r).
      { unfold place at 1. rewrite map_app. cbn [map fst iterm_val nth]. rewrite Nat2Z.id.
        fold (place sg (k :: w) (subscripts_at (variables 1 depth) s)).
        fold (place sg (k :: w) (subscripts_at (variables 1 depth) r)).
        rewrite <- !places_at, up by assumption. reflexivity. }
      rewrite inside_at, place_at. cbn [body_val iterm_val nth]. rewrite <- !body_at_val, up, Nat2Z.id by assumption.
      unfold element_at. destruct (icond_val sg w cond); [|reflexivity]. cbn [andb].
      destruct (all_inside sg w s && all_inside sg w r)%bool; ring.
    Qed.

    Lemma snd_fixed w b : varies b = false -> snd (body_val sg (dual K) w (paired K ts vs) b) = 0.
    Proof using RING SAME FIXED.
      assert (slope : forall args r d a, negb (is_zero d) && varies a = false ->
        (varies a = false -> snd (body_val sg (dual K) w (paired K ts vs) a) = 0) ->
        slope_val K args r d * snd (body_val sg (dual K) w (paired K ts vs) a) = 0).
      { intros args r d a none fixed. apply by_slope_fixed. destruct (not_by_slope _ _ none); auto. }
      induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa b IHb|o a IHa b IHb c IHc|g a IHa b IHb];
        cbn [body_val varies]; intros none.
      - reflexivity.
      - reflexivity.
      - destruct (all_inside sg w s); [|reflexivity]. rewrite read_paired by assumption. now apply FIXED.
      - now apply gathered_fixed.
      - cbn. destruct (slope1 o); [now apply slope|reflexivity].
      - apply orb_false_iff in none as [none_a none_b]. cbn. rewrite !slope by assumption. ring.
      - cbn. destruct (slope3 o) as [[dx dy] dz]. cbn.
        apply orb_false_iff in none as [none none_c]. apply orb_false_iff in none as [none_a none_b].
        rewrite !slope by assumption. ring.
      - apply orb_false_iff in none as [none_a none_b]. destruct (icond_val sg w g); auto.
    Qed.

    Theorem occurrences_sound w b : length w = depth -> forall seed cond l, occurrences seed cond b = Some l ->
      lsum K l (occurrence_sum w) =
      (if icond_val sg w cond
       then body_val sg K w ts seed * snd (body_val sg (dual K) w (paired K ts vs) b) else 0).
    Proof using RING SAME FIXED.
      intros size. assert (by_slope : forall d args whole a,
        (forall seed cond l, occurrences seed cond a = Some l -> lsum K l (occurrence_sum w) =
          (if icond_val sg w cond
           then body_val sg K w ts seed * snd (body_val sg (dual K) w (paired K ts vs) a) else 0)) ->
        forall seed cond l,
        (if is_zero d || negb (varies a) then Some []
         else occurrences (BOp2 Mul seed (slope_body args whole d)) cond a) = Some l ->
        lsum K l (occurrence_sum w) =
        (if icond_val sg w cond
         then body_val sg K w ts seed *
           (slope_val K (map (body_val sg K w ts) args) (body_val sg K w ts whole) d *
            snd (body_val sg (dual K) w (paired K ts vs) a)) else 0)).
      { intros d args whole a IHa seed cond l. destruct (is_zero d) eqn:d_zero; cbn [orb].
        - injection 1 as <-. rewrite is_zero_val by assumption. cbn. destruct (icond_val sg w cond); ring.
        - destruct (varies a) eqn:a_varies; cbn [negb].
          + intros found. rewrite (IHa _ _ _ found). cbn [body_val]. rewrite slope_body_val.
            destruct (icond_val sg w cond); ring.
          + injection 1 as <-. rewrite snd_fixed by assumption. cbn. destruct (icond_val sg w cond); ring. }
      induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa b IHb|o a IHa b IHb c IHc|g a IHa b IHb];
        cbn [occurrences]; intros seed cond l.
      - injection 1 as <-. cbn. destruct (icond_val sg w cond); ring.
      - injection 1 as <-. cbn. destruct (icond_val sg w cond); ring.
      - injection 1 as <-. cbn [body_val]. destruct (active t) eqn:varying; cbn [fsum].
        + unfold occurrence_sum. cbn [oc_own sizes_val map points fsum].
          unfold occurrence_val. cbn [oc_cond oc_at oc_cofactor oc_tensor]. unfold place.
          destruct (icond_val sg w cond), (all_inside sg w s); cbn [andb]; rewrite ?read_paired by assumption;
            cbn [snd cst dual]; ring.
        + destruct (icond_val sg w cond), (all_inside sg w s); rewrite ?read_paired by assumption;
            cbn [snd cst dual]; rewrite ?FIXED by assumption; ring.
      - injection 1 as <-. cbn [body_val]. destruct (active t) eqn:varying; cbn [fsum].
        + unfold occurrence_sum. change (oc_own _) with [n]. cbn [sizes_val map points].
          rewrite lsum_flat_map, gathered_sum, body_fst by assumption.
          destruct (icond_val sg w cond) eqn:holds.
          * rewrite <- lsum_scale by assumption. rewrite (Radd_comm laws), (Radd_0_l laws). apply lsum_ext.
            intros k k_in. apply in_seq in k_in. cbn [fsum].
            rewrite position_occurrence_val, holds by (assumption || lia).
            rewrite element_at_paired by assumption. cbn [snd]. ring.
          * rewrite lsum_zero; [ring|assumption|]. intros k k_in. apply in_seq in k_in. cbn [fsum].
            rewrite position_occurrence_val, holds by (assumption || lia). ring.
        + rewrite gathered_fixed by assumption. destruct (icond_val sg w cond); ring.
      - cbn [body_val op1 dual snd]. rewrite body_fst by assumption. destruct (slope1 o) as [d|].
        + intros found. exact (by_slope _ _ _ _ IHa _ _ _ found).
        + destruct (varies a); [discriminate|]. injection 1 as <-. cbn. destruct (icond_val sg w cond); ring.
      - unfold with_both. match goal with |- context [match ?x with Some _ => _ | None => _ end] => destruct x as [la|] eqn:found_a end; [|discriminate].
        match goal with |- context [match ?x with Some _ => _ | None => _ end] => destruct x as [lb|] eqn:found_b end; [|discriminate].
        injection 1 as <-. rewrite lsum_app by assumption.
        rewrite (by_slope _ _ _ _ IHa _ _ _ found_a), (by_slope _ _ _ _ IHb _ _ _ found_b).
        cbn [body_val op2 dual snd map]. rewrite !body_fst by assumption. destruct (icond_val sg w cond); ring.
      - cbn [body_val op3 dual]. destruct (slope3 o) as [[dx dy] dz]. unfold with_both.
        match goal with |- context [match ?x with Some _ => _ | None => _ end] => destruct x as [la|] eqn:found_a end; [|discriminate].
        match goal with |- context [match (match ?x with Some _ => _ | None => _ end) with Some _ => _ | None => _ end] => destruct x as [lb|] eqn:found_b end; [|discriminate].
        match goal with |- context [match (match ?x with Some _ => _ | None => _ end) with Some _ => _ | None => _ end] => destruct x as [lc|] eqn:found_c end; [|discriminate].
        injection 1 as <-. rewrite !lsum_app by assumption.
        rewrite (by_slope _ _ _ _ IHa _ _ _ found_a), (by_slope _ _ _ _ IHb _ _ _ found_b),
          (by_slope _ _ _ _ IHc _ _ _ found_c).
        cbn [snd map body_val]. rewrite !body_fst by assumption. destruct (icond_val sg w cond); ring.
      - unfold with_both. destruct (occurrences seed (CAnd cond g) a) as [la|] eqn:found_a; [|discriminate].
        destruct (occurrences seed (CAnd cond (CNot g)) b) as [lb|] eqn:found_b; [|discriminate].
        injection 1 as <-. rewrite lsum_app by assumption. rewrite (IHa _ _ _ found_a), (IHb _ _ _ found_b).
        cbn [icond_val body_val]. destruct (icond_val sg w cond), (icond_val sg w g); cbn; ring.
    Qed.
  End SOUND.
End CHAIN.
