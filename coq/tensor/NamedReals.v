(** Index kernels over the real numbers, and what theorems about elements write for their operations.

    [unknowns]            what the real numbers of the standard library do not have: the error function, powers of numbers that are not
                          positive, conversions between types of elements, infinities
    [numbers u]           the scalars: those of array/RealNumbers.v, and these, whatever they are
    [powers u]            a power is [x ^ n] where the exponent is the natural number n
    [over_numbers]        makes known what comparisons decide
    [real_step denotes]   one step from an operation of the scalars to the real number that it is *)

From Coq Require Import Reals ZArith NArith List Bool Lia Lra.
From Vouch Require Import tensor.Prove lib.Size array.Syntax array.Semantics index.Kernel index.Denote index.Reductions.
From Vouch Require array.RealNumbers.
Import ListNotations.
Local Open Scope R_scope.

Record unknowns : Type := {
  error_function : R -> R;
  power : R -> R -> R;
  conversion : Syntax.element -> Syntax.element -> R -> R;
  infinity : bool -> R
}.

Definition numbers (u : unknowns) : scalars :=
  let K := RealNumbers.reals (error_function u) in
  {| Semantics.num := R; Semantics.op3 := op3 K;
     Semantics.cst := fun c => match c with Infinity negative => infinity u negative | _ => cst K c end;
     Semantics.op1 := fun o => match o with Cast s t => conversion u s t | _ => op1 K o end;
     Semantics.op2 := fun o => match o with Pow => power u | _ => op2 K o end |}.

Definition powers (u : unknowns) : Prop := forall x n, power u x (IZR (Z.of_nat n)) = x ^ n.

(** There are such: whatever else a power is. *)
Lemma some_powers : exists u, powers u.
Proof.
  exists {| error_function := fun x => x; conversion := fun _ _ x => x; infinity := fun _ => 0;
            power := fun x y => x ^ Z.to_nat (Int_part y) |}. intros x n. cbn [power].
  now rewrite <- INR_IZR_INZ, Int_part_INR, Nat2Z.id.
Qed.

Section NUMBERS.
  Context (u : unknowns).

  Notation K := (numbers u).

  Lemma number_is z y : z = y -> cst K (Dyadic z 0) = IZR y.
  Proof. intros <-. cbn. ring. Qed.

  Lemma opposite_is z y : z = Z.opp y -> cst K (Dyadic z 0) = - IZR y.
  Proof. intros ->. cbn. rewrite opp_IZR. ring. Qed.

  Lemma position_is z y : (0 <= z)%Z -> z = y -> position K (Z.to_nat z) = IZR y.
  Proof. intros z_pos <-. unfold position. rewrite Z2Nat.id by assumption. now apply number_is. Qed.

  Lemma truths_are b zs ys : zs = ys -> at_ints (@truths K b) zs = truth (truth_at b ys).
  Proof. intros <-. unfold at_ints, truths, truth_at. cbn. destruct (b (map Z.to_nat zs)); cbn; ring. Qed.

  Lemma power_is n a b x : powers u -> a = x -> b = IZR (Z.of_nat n) -> op2 K Pow a b = x ^ n.
  Proof. intros natural -> ->. apply natural. Qed.

  Lemma chosen_by_truth (g h : bool) x y : g = h -> op3 K Sel (RealNumbers.truth g) x y = if h then x else y.
  Proof.
    intros <-. cbn. unfold RealNumbers.equal, RealNumbers.truth.
    destruct g, Req_EM_T as [same|differ]; try reflexivity; lra.
  Qed.

  Lemma less_decides : decides K Less Rltb.
  Proof.
    intros a b x y. apply chosen_by_truth. unfold RealNumbers.less.
    destruct (Rlt_dec a b); symmetry; [now apply Rltb_true | apply Rltb_false; lra].
  Qed.

  Lemma less_or_equal_decides : decides K LessEq Rleb.
  Proof.
    intros a b x y. apply chosen_by_truth. unfold RealNumbers.less.
    destruct (Rlt_dec b a); symmetry; [now apply Rleb_false | apply Rleb_true; lra].
  Qed.

  Lemma equal_decides : decides K Equal Reqb.
  Proof.
    intros a b x y. apply chosen_by_truth. unfold RealNumbers.equal.
    destruct (Req_EM_T a b); symmetry; [now apply Reqb_true | now apply Reqb_false].
  Qed.

  (** ** Sums *)

  Lemma added_is (l : list R) : added K l = lsum l (fun x => x).
  Proof.
    change (fold_left Rplus l (0 * 1) = lsum l (fun x => x)).
    assert (from : forall a, fold_left Rplus l a = a + lsum l (fun x => x)).
    { induction l as [|x l IHl]; intros a; cbn; [ring|]. rewrite IHl. ring. }
    rewrite from. ring.
  Qed.

  Lemma added_over n m f g :
    n = m -> (forall k, (0 <= k < m)%Z -> added K (f k) = g k) ->
    added K (over (Z.of_nat (size_val no_sizes (extent n))) f) = sum m g.
  Proof.
    intros -> each. cbn. rewrite Z_N_nat. destruct (Z.le_gt_cases 0 m) as [m_pos|m_neg].
    - rewrite Z2Nat.id by assumption. unfold over, sum.
      rewrite added_is, lsum_flat_map. apply lsum_ext. intros k k_in. rewrite <- added_is. now apply each, in_range.
    - destruct m as [|m|m]; try discriminate. rewrite added_is. reflexivity.
  Qed.

  Lemma added_one a x : a = x -> added K [a] = x.
  Proof. intros <-. rewrite added_is. apply Rplus_0_r. Qed.

  Lemma added_only g h a x : g = h -> (h = true -> a = x) -> added K (only g [a]) = if h then x else 0.
  Proof. intros ->. destruct h; intros same; [apply added_one; auto | apply (added_is [])]. Qed.

  (** ** Products and extrema *)

  Lemma product_is l m : l = m -> reduced K Product l = product m.
  Proof.
    intros <-. change (fold_left Rmult l (1 * 1) = fold_right Rmult 1 l). rewrite Rmult_1_l.
    apply fold_symmetric; intros; ring.
  Qed.

  Lemma largest_is l m : l = m -> reduced K Largest l = maximum (cst K (Infinity true)) m.
  Proof.
    intros <-. destruct l as [|a l]; [reflexivity|]. change (fold_left Rmax l a = fold_right Rmax a l).
    apply fold_symmetric; intros; [apply Rmax_assoc | apply Rmax_comm].
  Qed.

  Lemma smallest_is l m : l = m -> reduced K Smallest l = minimum (cst K (Infinity false)) m.
  Proof.
    intros <-. destruct l as [|a l]; [reflexivity|]. change (fold_left Rmin l a = fold_right Rmin a l).
    apply fold_symmetric; intros; [apply Rmin_assoc | apply Rmin_comm].
  Qed.
End NUMBERS.

Ltac over_numbers := lazymatch goal with
  | |- context [numbers ?u] =>
      pose proof (less_decides u); pose proof (less_or_equal_decides u); pose proof (equal_decides u)
  end.

Ltac whole_equal := first [ reflexivity | integers ].
Ltac same_list := repeat (apply f_equal2; [integers|]); reflexivity.

Ltac real_step denotes := lazymatch goal with
  | |- cst (numbers _) (Dyadic _ 0) = IZR _ => apply number_is; whole_equal
  | |- cst (numbers _) (Dyadic _ 0) = - IZR _ => apply opposite_is; whole_equal
  | |- position (numbers _) _ = IZR _ => apply position_is; integers
  | |- at_ints (truths _) _ = truth (truth_at _ _) => apply truths_are; same_list
  | |- op2 (numbers _) Pow _ _ = _ ^ _ => apply power_is; [assumption | denotes () | first [apply number_is; reflexivity | reflexivity]]
  | |- op1 (numbers _) _ ?a = ?f ?x => change (f a = f x); apply f_equal; denotes ()
  | |- op2 (numbers _) _ ?a ?b = ?f ?x ?y => change (f a b = f x y); apply f_equal2; denotes ()
  | |- added (numbers _) (over _ _) = sum _ _ => apply added_over; [integers | intros ? ?; denotes ()]
  | |- added (numbers _) (only _ _) = (if _ then _ else 0) => apply added_only; [same_guards | intros ?; denotes ()]
  | |- added (numbers _) [_] = _ => apply added_one; denotes ()
  | |- reduced (numbers _) Product _ = product _ => apply product_is; denotes ()
  | |- reduced (numbers _) Largest _ = maximum _ _ => apply largest_is; denotes ()
  | |- reduced (numbers _) Smallest _ = minimum _ _ => apply smallest_is; denotes ()
  end.
