(** What statements about rewrite rules, and their proofs, are written in.

    Tensors are functions from their indices. Where nothing is defined, something is: a quotient
    by 0 is 0, as in the standard library; a maximum of nothing is whatever [none] is.

    [truth b]   an element of a tensor of truth values, as a number
    [element low high x]   [x] is a whole number of a type of integers; [steps_again] is what they are for
    [choose_*], [when_*], [by_cases]   steps through choices
    [difference], [cancel], [drop], [split_term]   steps on lists of terms
    [holds]   closes goals about guards; [leaf] rewrites one leaf into another *)

From Coq Require Export Reals ZArith List Lia Lra Bool.
From Coq Require Export ZifyBool.
From Vouch Require Export tensor.Sums tensor.Extrema tensor.Compared tensor.Laws tensor.Terms tensor.Integers.
Export ListNotations.
Local Open Scope R_scope.

Definition truth (b : bool) : R := if b then 1 else 0.

Definition element (low high : Z) (x : R) : Prop := exists k : Z, x = IZR k /\ (low <= k <= high)%Z.

Ltac integers := integral_guards; one_by_one; forget_reals; Integers.integers.

(** ** Choices *)

Section CHOICES.
  Context {A : Type} (g h : bool) (a b c d : A).

  Lemma choose_true : g = true -> a = c -> (if g then a else b) = c.
  Proof. now intros ->. Qed.
  Lemma choose_false : g = false -> b = c -> (if g then a else b) = c.
  Proof. now intros ->. Qed.
  Lemma choose_true_r : g = true -> c = a -> c = (if g then a else b).
  Proof. now intros ->. Qed.
  Lemma choose_false_r : g = false -> c = b -> c = (if g then a else b).
  Proof. now intros ->. Qed.
  Lemma choose_both : g = h -> (g = true -> a = c) -> (g = false -> b = d) ->
    (if g then a else b) = (if h then c else d).
  Proof. intros <-. destruct g; auto. Qed.
  Lemma by_cases : (g = true -> a = b) -> (g = false -> a = b) -> a = b.
  Proof. destruct g; auto. Qed.
End CHOICES.

Lemma same_guard (g h : bool) : (g = true -> h = true) -> (h = true -> g = true) -> g = h.
Proof.
  destruct g, h; intros there back; auto. symmetry. now apply there.
Qed.

(** ** Guards *)

(* Of the reals: a float may be no number. *)
Ltac compared_to_itself := lazymatch goal with
  | |- Reqb ?a ?a = true => now apply Reqb_true
  | |- Rleb ?a ?a = true => apply Rleb_true, Rle_refl
  end.
Ltac holds := first [ reflexivity | assumption | compared_to_itself | integers ].

(* Both of two guards, from each other. *)
Ltac same_guards := first [ reflexivity | apply same_guard; intros ?; integers | integers ].

(** ** Lists of terms *)

Ltac compute_terms := cbv [
  maps_to maps_back for_all within rev_append binders guard body times guarded opposite limited
  lifted length app firstn skipn nth Nat.add without nth_error terms_of map flat_map ].

Ltac difference a b := apply (begin_difference a b []); cbv [terms_of map flat_map app].
Ltac cancel i j phi psi :=
  eapply (cancel_step i j _ [] phi psi);
    [ reflexivity | reflexivity | compute_terms | compute_terms | cbv [without] ].
Ltac drop i := eapply (drop_step i _ []); [ reflexivity | compute_terms | cbv [without] ].
Ltac split_term i p := eapply (split_step i p _ []); [ reflexivity | cbv [without] ].

(* All that a bijection owes but the equality of bodies. *)
Ltac fulfil := lazymatch goal with
  | |- True => exact I
  | |- _ /\ _ => split; fulfil
  | |- @eq bool _ _ => holds
  | |- (_ :: _) = (_ :: _) => apply f_equal2; fulfil
  | |- [] = [] => reflexivity
  | |- @eq R _ _ => idtac
  | |- _ => integers
  end.

(* The leaf [y] at [there] is the leaf [x] at [here]: to be proven, and then to be used. *)
Ltac leaf same y there x here :=
  let old := eval cbv [nth rev_append] in (y there) in
  let new := eval cbv [nth rev_append] in (x here) in
  assert (same : new = old).
Ltac use same := rewrite <- ?same; clear same.

(** ** Elements of integer types *)

Lemma element_choice low high (g : bool) a b :
  element low high a -> element low high b -> element low high (if g then a else b).
Proof. now destruct g. Qed.

Lemma maximum_element low high none l :
  (forall x, In x l -> element low high x) -> l <> [] -> element low high (maximum none l).
Proof. intros each some. destruct l as [|a l]; [easy|]. apply each, maximum_in. Qed.

(* A condition of the rule, or of every element inside of a tensor, at one that lies inside. *)
Ltac met := first [ assumption | match goal with H : forall _ : Z, _ |- _ => solve [apply H; integers] end ].

(* What is a step already is the step that is nearest to its number, whatever rounding leaves whole numbers as they are. *)
Lemma steps_again (round : R -> R) (low high : Z) (least most s x z y : R) :
  (forall k, round (IZR k) = IZR k) -> least = IZR low -> most = IZR high ->
  0 < s -> element low high y -> element low high z ->
  x = (y - z) * s -> Rmin (Rmax (round (x / s) + z) least) most = y.
Proof.
  intros keeps -> -> s_positive (k & -> & k_in) (m & -> & _) ->.
  replace ((IZR k - IZR m) * s / s) with (IZR (k - m)) by (rewrite minus_IZR; field; lra).
  rewrite keeps, minus_IZR.
  replace (IZR k - IZR m + IZR m) with (IZR k) by ring.
  rewrite Rmax_left by (apply IZR_le; lia). apply Rmin_left. apply IZR_le. lia.
Qed.

(* Numbers on one side of all steps are one step, so that clamping them there changes nothing. *)
Lemma steps_of_clamped (round : R -> R) (low high m : Z) (least most s x y z : R) :
  (forall a b, a <= b -> round a <= round b) -> (forall k, round (IZR k) = IZR k) ->
  least = IZR low -> most = IZR high -> z = IZR m -> 0 < s -> least <= most ->
  x = y \/ (x <= (least - z) * s /\ y <= (least - z) * s) \/ ((most - z) * s <= x /\ (most - z) * s <= y) ->
  Rmin (Rmax (round (x / s) + z) least) most = Rmin (Rmax (round (y / s) + z) least) most.
Proof.
  intros rises keeps -> -> -> s_positive ordered [-> | [[x_low y_low] | [x_high y_high]]].
  - reflexivity.
  - assert (below : forall t, t <= (IZR low - IZR m) * s -> round (t / s) + IZR m <= IZR low).
    { intros t t_low. assert (step : t / s <= IZR (low - m)).
      { rewrite minus_IZR. apply (Rmult_le_reg_r s); [assumption |]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. lra. }
      apply rises in step. rewrite keeps, minus_IZR in step. lra. }
    now rewrite !Rmax_right by auto.
  - assert (above : forall t, (IZR high - IZR m) * s <= t -> IZR high <= round (t / s) + IZR m).
    { intros t t_high. assert (step : IZR (high - m) <= t / s).
      { rewrite minus_IZR. apply (Rmult_le_reg_r s); [assumption |]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. lra. }
      apply rises in step. rewrite keeps, minus_IZR in step. lra. }
    assert (most_of : forall t, (IZR high - IZR m) * s <= t ->
      Rmin (Rmax (round (t / s) + IZR m) (IZR low)) (IZR high) = IZR high).
    { intros t t_high. apply Rmin_right. apply Rle_trans with (round (t / s) + IZR m); [now apply above | apply Rmax_l]. }
    now rewrite !most_of.
Qed.
Lemma steps_of_clamped_from_0 (round : R -> R) (low high : Z) (least most s x y : R) :
  (forall a b, a <= b -> round a <= round b) -> (forall k, round (IZR k) = IZR k) ->
  least = IZR low -> most = IZR high -> 0 < s -> least <= most ->
  x = y \/ (x <= least * s /\ y <= least * s) \/ (most * s <= x /\ most * s <= y) ->
  Rmin (Rmax (round (x / s)) least) most = Rmin (Rmax (round (y / s)) least) most.
Proof.
  intros rises keeps low_is high_is s_positive ordered cases.
  rewrite <- (Rplus_0_r (round (x / s))), <- (Rplus_0_r (round (y / s))).
  apply (steps_of_clamped round low high 0); auto. now rewrite !Rminus_0_r.
Qed.

(* Whole numbers, divided by 1. *)
Lemma quotient_by_one (quotient : R -> R -> R) (x : R) :
  (forall k, quotient (IZR k) 1 = IZR k) -> (exists k, x = IZR k) -> quotient x 1 = x.
Proof. now intros by_one [k ->]. Qed.

(** ** Structure *)

(* The same tensor at equal indices. *)
Ltac same_read := lazymatch goal with
  | |- @eq Z _ _ => integers
  | |- truth _ = truth _ => refine (f_equal truth _); same_read
  | |- (if _ then ?a else ?b) = (if _ then ?a else ?b) => refine (f_equal (fun g : bool => if g then a else b) _); same_read
  | |- ?f ?a = ?g ?b => refine (f_equal2 (fun h x => h x) (_ : f = g) (_ : a = b)); [same_read | integers]
  | |- _ => reflexivity
  end.

(* Choices whose guards speak of nothing bound and are known: as they stand, before any arithmetic. *)
Ltac decide_guards :=
  let stands := first [ assumption | reflexivity ] in
  repeat match goal with
  | |- context [if ?g then _ else _] =>
      first
        [ replace g with true by (symmetry; stands) | replace g with false by (symmetry; stands)
        | replace g with true by (symmetry; integers) | replace g with false by (symmetry; integers) ];
      cbv iota
  end.

(** ** Arithmetic *)

Ltac nonzero := repeat split; first
  [ assumption | lra | apply not_0_IZR; integers | apply Rgt_not_eq, exp_pos ].

(* Logarithms of exponentials, and of products and inverses of what is positive. *)
Ltac positive_number := first
  [ assumption
  | apply exp_pos
  | apply Rmult_lt_0_compat; positive_number
  | apply Rinv_0_lt_compat; positive_number
  | apply Rplus_lt_0_compat; positive_number
  | apply sum_positive; [integers | intros ? ?; positive_number]
  | lra ].
Ltac logarithms := lazymatch goal with |- context [ln _] => idtac end;
  repeat first [ rewrite ln_exp | rewrite ln_mult by positive_number | rewrite ln_Rinv by positive_number ].

(* Extrema and absolute values, by cases. *)
Ltac plain a := lazymatch a with
  | context [Rle_dec _ _] => fail
  | context [Rcase_abs _] => fail
  | _ => idtac
  end.
Ltac lattice := unfold Rmax, Rmin, Rabs;
  repeat match goal with
  | |- context [Rle_dec ?a ?b] => plain a; plain b; destruct (Rle_dec a b)
  | |- context [Rcase_abs ?a] => plain a; destruct (Rcase_abs a)
  end; first [ lra | ring | field | nra ].

(* Where the one number is the other, or both are on one side of all steps. *)
Ltac clamped_cases := unfold Rmax, Rmin;
  repeat match goal with
  | |- context [Rle_dec ?a ?b] => plain a; plain b; destruct (Rle_dec a b)
  end; first [ left; lra | right; left; split; lra | right; right; split; lra ].

(* What is known of comparisons, as inequalities. *)
Lemma truth_as_number (g : bool) : Reqb (if g then 1 else 0) 0 = negb g.
Proof.
  destruct g; cbn; [apply Reqb_false; lra | now apply Reqb_true].
Qed.
Ltac inequalities := repeat match goal with
  | there : context [Reqb (if ?g then 1 else 0) 0] |- _ => rewrite (truth_as_number g) in there
  | there : context [negb (negb ?g)] |- _ => rewrite (negb_involutive g) in there
  | there : negb _ = true |- _ => apply negb_true_iff in there
  | there : negb _ = false |- _ => apply negb_false_iff in there
  | there : Rltb _ _ = true |- _ => apply Rltb_true in there
  | there : Rltb _ _ = false |- _ => apply Rltb_false in there
  | there : Rleb _ _ = true |- _ => apply Rleb_true in there
  | there : Rleb _ _ = false |- _ => apply Rleb_false in there
  | there : Reqb _ _ = true |- _ => apply Reqb_true in there
  end.

(* What is rounded by [g] is whole, and [f] leaves it as it is. *)
Ltac rounded_again f g x :=
  match goal with whole : forall _ : R, exists _ : Z, g _ = IZR _ |- _ =>
    let k := fresh "k" in destruct (whole x) as [k ->]
  end;
  match goal with keeps : forall _ : Z, f (IZR _) = IZR _ |- _ => apply keeps end.

(* Truth values, by cases; those at equal indices are one. *)
Ltac truths :=
  repeat match goal with there : context [truth _] |- _ => revert there end;
  repeat match goal with
  | |- context [truth ?a] => match goal with
    | |- context [truth ?b] =>
        tryif constr_eq a b then fail else replace b with a by same_read
    end
  end;
  repeat match goal with |- context [truth ?a] => destruct a; cbn [truth] end;
  repeat (first [ rewrite Reqb_IZR | rewrite Rltb_IZR | rewrite Rleb_IZR ];
    cbn [Z.eqb Z.ltb Z.leb Z.compare Pos.eqb negb andb orb]); intros;
  first [ reflexivity | discriminate | lra ].
Ltac has_truth := match goal with
  | |- context [truth _] => idtac
  | _ : context [truth _] |- _ => idtac
  end.

(* An index lies within its window, by cases of whether the last window is left out. *)
Ltac window_cases :=
  lazymatch goal with _ : context [if (_ <=? _)%Z then _ else _] |- _ => idtac end;
  repeat (apply andb_true_intro; split);
  repeat match goal with
  | there : context [if (?a <=? ?b)%Z then _ else _] |- _ => destruct (Z.leb_spec a b)
  end;
  integers.
Ltac lies_within := first [ window_cases | holds ].

(* There are values: this is known, or sizes are numbers; were every guard false then, an index would be none. *)
Ltac some_values := first [ assumption | known_values ]
with known_values :=
  cbv [over range Z.to_nat Pos.to_nat Pos.iter_op Init.Nat.add seq map Z.of_nat Pos.of_succ_nat
    Pos.succ flat_map app];
  first
    [ discriminate
    | unfold only;
      repeat match goal with |- context [if ?g then _ else _] =>
        let there := fresh in destruct g eqn:there; cbn [app]; try discriminate
      end;
      intros _; integers ].

Ltac values_are_elements :=
  let there := fresh in intros ? there;
  repeat first [ apply in_over in there as (? & ? & there) | apply in_only in there as [? there] ];
  destruct there as [<-|[]]; elements
with elements := first
  [ apply element_choice; elements | apply maximum_element; [values_are_elements | some_values] | solve [auto] ].

(* The largest, or smallest, of what a growing function makes of some values. *)
Ltac mapped_values := apply f_equal; repeat first
  [ rewrite map_over; apply over_ext; [reflexivity | intros ? ?]
  | rewrite map_only; apply only_ext; [exact (fun there => there) | exact (fun there => there) | intros ?]
  | reflexivity ].
Ltac extremum_of_grown := lazymatch goal with
  | |- maximum ?none ?l = ?f (maximum ?none ?m) ?c =>
      transitivity (maximum none (map (fun x => f x c) m));
      [ mapped_values
      | rewrite (maximum_map (fun x => f x c)); [reflexivity | intros ? ?; lattice | some_values] ]
  | |- maximum ?none ?l = ?f (maximum ?none ?m) =>
      transitivity (maximum none (map f m));
      [ mapped_values
      | rewrite (maximum_map f); [reflexivity | apply grows_max; growing | some_values] ]
  | |- minimum ?none ?l = ?f (minimum ?none ?m) =>
      transitivity (minimum none (map f m));
      [ mapped_values
      | rewrite (minimum_map f); [reflexivity | apply grows_min; growing | some_values] ]
  | |- ?f (maximum _ _) _ = maximum _ _ => symmetry; extremum_of_grown
  | |- ?f (maximum _ _) = maximum _ _ => symmetry; extremum_of_grown
  | |- ?f (minimum _ _) = minimum _ _ => symmetry; extremum_of_grown
  end.

(* The number of the largest step is the largest of their numbers. *)
Lemma number_of_larger s z x y : 0 < s -> (Rmax x y - z) * s = Rmax ((x - z) * s) ((y - z) * s).
Proof.
  intros s_positive. apply (grows_max (fun k => (k - z) * s)). intros a b less.
  apply Rmult_lt_compat_r; lra.
Qed.
Ltac number_of_largest := lazymatch goal with
  | |- maximum ?none ?l = (maximum ?none ?m - ?z) * ?s =>
      transitivity (maximum none (map (fun k => (k - z) * s) m));
      [ mapped_values
      | rewrite (maximum_map (fun k => (k - z) * s));
        [ reflexivity | intros ? ?; apply number_of_larger; met | some_values ] ]
  end.

Ltac extremum_of_larger laws := lazymatch type of laws with
  | semilattice ?larger ?largest => lazymatch goal with
    | |- largest ?l = larger (largest ?m) ?c =>
        transitivity (largest (map (fun x => larger x c) m));
        [ mapped_values | apply (larger_of_largest larger largest laws); some_values ]
    end
  end.

Ltac algebra := unfold Rdiv; first
  [ ring
  | has_truth; truths
  | lazymatch goal with |- IZR _ = IZR _ => apply (f_equal IZR); integers end
  | rewrite ?Rinv_mult, ?mult_IZR, ?plus_IZR, ?minus_IZR, ?opp_IZR; first [ ring | lra | field; nonzero ]
  | field; nonzero
  | extremum_of_grown
  | logarithms; first [ ring | lra | field; nonzero ]
  | inequalities; lattice
  | exfalso; integers ].
