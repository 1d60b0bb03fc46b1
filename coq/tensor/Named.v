(** What theorems about rules say of operators by name, and how it follows from what they say of elements.

    [known t]      what [t] says where its hypotheses are known
    [by_indices]   tensors are the same, index by index
    [denotes]      an element of composed operators is a term: step by step, each read proven to be inside of its tensor *)

From Coq Require Import ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics index.Kernel.
From Vouch Require Export index.Denote index.Reductions tensor.Prove tensor.NamedReals.
Local Open Scope Z_scope.

Lemma extent_is n : 0 <= n -> Z.of_nat (size_val no_sizes (extent n)) = n.
Proof. intros n_pos. cbn. rewrite Z_N_nat. now apply Z2Nat.id. Qed.

Lemma inside_extent z n : 0 <= z < n -> inside z (size_val no_sizes (extent n)) = true.
Proof.
  intros (z_pos & z_lt). unfold inside. apply andb_true_intro.
  split; [now apply Z.leb_le | apply Z.ltb_lt]. rewrite extent_is; lia.
Qed.

Lemma if_inside_true {A} (g : bool) (a z t : A) : g = true -> a = t -> if_inside g a z = t.
Proof. now intros ->. Qed.

Lemma chosen_cases {A} (g : bool) (a b t : A) : (g = true -> a = t) -> (g = false -> b = t) -> chosen g a b = t.
Proof. unfold chosen. destruct g; auto. Qed.

Lemma over_extent {A} n m (f g : Z -> list A) :
  n = m -> (forall k, 0 <= k < m -> f k = g k) -> over (Z.of_nat (size_val no_sizes (extent n))) f = over m g.
Proof.
  intros -> each. cbn. rewrite Z_N_nat. destruct (Z.le_gt_cases 0 m).
  - rewrite Z2Nat.id by assumption. now apply over_ext.
  - now destruct m.
Qed.

Lemma to_pos_is m : 1 <= m -> Zpos (Z.to_pos m) = m.
Proof. intros m_pos. apply Z2Pos.id. lia. Qed.

Lemma remainder_within e m n : 1 <= m -> m = n -> 0 <= e mod m < n.
Proof. intros m_pos <-. now apply remainder_range. Qed.

Lemma quotient_counted e m n p : 1 <= m -> 0 <= e < p -> p = n * m -> 0 <= e / m < n.
Proof. intros m_pos e_in ->. now apply quotient_within. Qed.

Lemma within_same e n m : 0 <= e < n -> n = m -> 0 <= e < m.
Proof. now intros e_in <-. Qed.

(* One of [a] elements of a part. *)
Lemma part_within g w i a c n :
  1 <= g -> g <= w -> 0 = w mod g -> 0 <= i < w -> 0 <= c < a -> n = g * a -> 0 <= a * (i / (w / g)) + c < n.
Proof. intros g_pos enough exact i_in c_in ->. pose proof (part_below i w g g_pos enough exact i_in). nia. Qed.

Lemma position_whole (K : scalars) z y : 0 <= z -> z = y -> position K (Z.to_nat z) = whole_of K y.
Proof. intros z_pos <-. unfold position, whole_of. now rewrite Z2Nat.id. Qed.

Lemma constant_whole (K : scalars) z y : z = y -> cst K (Dyadic z 0) = whole_of K y.
Proof. now intros ->. Qed.

(* Along an axis of one element every index reads that one. *)
Lemma stretched_is n i : 1 <= n -> 0 <= i -> (2 <= n -> i <= n - 1) -> stretched n * i = Z.min i (n - 1).
Proof.
  intros n_pos i_pos inside. unfold stretched. destruct (Z.leb_spec n 1); [|rewrite Z.min_l; lia].
  replace n with 1 by lia. cbn. lia.
Qed.

Lemma stretched_from_0 n i : 0 <= i -> 0 <= stretched n * i.
Proof. intros i_pos. unfold stretched. destruct (n <=? 1); lia. Qed.

Lemma stretched_up_to n i m : 0 <= i -> i <= m -> stretched n * i <= m.
Proof. intros i_pos i_le. unfold stretched. destruct (n <=? 1); lia. Qed.

Lemma stretched_min n i j m :
  i = j -> 1 <= n -> 0 <= j -> (2 <= n -> j <= n - 1) -> m = n - 1 -> stretched n * i = Z.min j m.
Proof. intros -> n_pos j_pos inside ->. now apply stretched_is. Qed.

Lemma stretched_inside n i : 1 <= n -> 0 <= i -> (2 <= n -> i <= n - 1) -> 0 <= stretched n * i < n.
Proof. intros n_pos i_pos inside. rewrite stretched_is by assumption. lia. Qed.

(** ** Choices of both kinds *)

Lemma leb_moved a b c d : b - a = d - c -> (a <=? b) = (c <=? d).
Proof. intros same. apply eq_true_iff_eq. rewrite !Z.leb_le. lia. Qed.
Lemma eqb_moved a b c d : b - a = d - c \/ b - a = c - d -> (a =? b) = (c =? d).
Proof. intros same. apply eq_true_iff_eq. rewrite !Z.eqb_eq. lia. Qed.

Lemma if_and {A} (g h : bool) (a b : A) : (if g && h then a else b) = (if g then if h then a else b else b).
Proof. now destruct g. Qed.
Lemma if_or {A} (g h : bool) (a b : A) : (if g || h then a else b) = (if g then a else if h then a else b).
Proof. now destruct g. Qed.
Lemma if_not {A} (g : bool) (a b : A) : (if negb g then a else b) = (if g then b else a).
Proof. now destruct g. Qed.

(** ** Tactics *)

Ltac known t := lazymatch type of t with
  | ?A -> _ => let there := constr:(ltac:(assumption) : A) in known (t there)
  | _ => let legal := fresh "legal" in pose proof t as legal;
      repeat match goal with both : _ /\ _ |- _ => destruct both end
  end.

(* As the hypotheses say it, or their parts. *)
Ltac supposed := first [assumption | apply conj; supposed].

(* Sizes whose product is one of sizes that are at least 1 are so, too, though each is known only not to be negative. *)
Lemma factors_count a b : 0 <= a -> 0 <= b -> 1 <= a * b -> 1 <= a /\ 1 <= b.
Proof. nia. Qed.

Lemma product_counts a b : 1 <= a -> 1 <= b -> 1 <= a * b.
Proof. nia. Qed.

Ltac no_less := first [assumption | apply Z.mul_nonneg_nonneg; no_less | lia].
Ltac one_or_more := first [assumption | apply product_counts; one_or_more | lia].
Ltac count_factors H := lazymatch type of H with
  | 1 <= ?a * ?b =>
      let first_one := fresh "counted" in let second := fresh "counted" in
      destruct (factors_count a b ltac:(no_less) ltac:(no_less) H) as [first_one second];
      count_factors first_one; count_factors second
  | _ => idtac
  end.
Ltac sizes_counted := repeat match goal with
  | known : ?a * ?b = ?q |- _ =>
      lazymatch goal with there : 1 <= b |- _ => fail | |- _ => idtac end;
      let whole := fresh "counted" in
      assert (whole : 1 <= a * b) by (rewrite known; one_or_more);
      count_factors whole; clear whole
  end.

Ltac by_indices := sizes_counted; apply same_at; cbn [same_from app].

Ltac head_of t := lazymatch t with ?f _ => head_of f | _ => t end.

Ltac unfold_operator k := lazymatch k with
  | operator _ _ _ => idtac
  | reducing _ _ _ => idtac
  | _ => let name := head_of k in unfold name
  end.

Ltac divisors := repeat match goal with
  | |- context [Zpos (Z.to_pos ?m)] => rewrite (to_pos_is m) by first [stated | integers]
  end.

(* Where one element of an axis stands for all, part by part: what is known of sizes is asked for as late as can be. *)
Ltac at_least_1 := lazymatch goal with
  | |- 1 <= Z.max ?a ?b => first [ apply (Z.le_trans _ a); [at_least_1 | apply Z.le_max_l] | integers ]
  | |- _ => integers
  end.
Ltac from_0 := lazymatch goal with
  | |- 0 <= stretched _ * _ => apply stretched_from_0; from_0
  | |- 0 <= Z.min _ _ => apply Z.min_glb; from_0
  | |- 0 <= ?n + -1 => apply (Z.sub_le_mono_r 1 n 1); at_least_1
  | inside : 0 <= ?i < _ |- 0 <= ?i => exact (proj1 inside)
  | |- _ => first [solve [place_from_0] | integers]
  end
(* Of sums and products of indices and sizes, and of quotients of these. *)
with place_from_0 := lazymatch goal with
  | inside : 0 <= ?i < _ |- 0 <= ?i => exact (proj1 inside)
  | |- 0 <= _ + _ => apply Z.add_nonneg_nonneg; place_from_0
  | |- 0 <= _ * _ => apply Z.mul_nonneg_nonneg; place_from_0
  | |- 0 <= _ / _ => apply quotient_sign; [stated | place_from_0]
  | |- 0 <= ?e mod ?m => apply (remainder_range e m); stated
  | |- 0 <= ?n => apply (Z.le_trans 0 1 n); [apply Z.le_0_1 | stated]
  end.
Ltac up_to := lazymatch goal with
  | |- stretched _ * _ <= _ => apply stretched_up_to; [from_0 | up_to]
  | |- Z.min _ _ <= _ => first [ apply (Z.le_trans _ _ _ (Z.le_min_l _ _)); up_to | integers ]
  | noted : ?large -> ?i <= ?last, large : ?large |- ?i <= ?last => exact (noted large)
  | |- _ => integers
  end.
Ltac last_index := first [ assumption | let large := fresh in intros large; up_to ].
Ltac note_last n i := let noted := fresh "noted" in assert (noted : 2 <= n -> i <= n - 1) by integers.
Ltac stretches := repeat match goal with
  | |- context [stretched ?n * ?i] => rewrite (stretched_is n i) by first [at_least_1 | from_0 | last_index]
  end.
(* Indices that differ in how products and sums are written, within quotients, too. *)
Ltac written_alike := lazymatch goal with
  | |- ?i = ?i => reflexivity
  | |- _ / _ = _ / _ => apply f_equal2; written_alike
  | |- _ mod _ = _ mod _ => apply f_equal2; written_alike
  | |- _ => ring
  end.
(* The digits of a place that is counted by them. *)
Ltac digit_range := first [assumption | digits].
Ltac read_digits := repeat match goal with
  | |- context [?e / ?m] => has_multiple e m; let p := divided e m in lazymatch p with
      | (?k, 0) => rewrite (quotient_exact e m k) by first [stated | ring]
      | (?k, ?r) => rewrite (quotient_split e m k r) by first [stated | ring]
      end
  | |- context [?e mod ?m] => has_multiple e m; let p := divided e m in lazymatch p with
      | (?k, ?r) => rewrite (remainder_split e m k r) by first [stated | ring]
      end
  | |- context [?e / ?m] => rewrite (Z.div_small e m) by digit_range
  | |- context [?e mod ?m] => rewrite (Z.mod_small e m) by digit_range
  end; ring.
Ltac by_digits := lazymatch goal with
  | |- context [_ / _] => read_digits
  | |- context [_ mod _] => read_digits
  end.
Ltac same_index := lazymatch goal with
  | |- ?i = ?i => reflexivity
  | |- _ / _ = _ / _ => first [solve [written_alike] | solve [by_digits] | stretches; integers]
  | |- _ mod _ = _ mod _ => first [solve [written_alike] | solve [by_digits] | stretches; integers]
  | |- stretched _ * _ = Z.min _ _ => first
      [ apply stretched_min; [same_index | at_least_1 | from_0 | last_index | first [reflexivity | integers]]
      | stretches; integers ]
  | |- _ => first [solve [by_digits] | stretches; integers]
  end.

Ltac at_elements := cbv [
  term_at cond_at inside_at body_at values_at summand_at element_at elementwise summed reading
  formula_at reduces formulas_val st_summands st_extents su_loops su_cond su_body fold_left forallb rev app map fst snd
  locals_val Kernel.read nth array_of fold_right ].

Ltac positive_indices := repeat (apply Forall_cons; [from_0|]); apply Forall_nil.

(* Conditions speak of indices as elements do. *)
Ltac stretched_conditions := lazymatch goal with
  | |- context [chosen] => stretches
  | |- context [only] => stretches
  | |- _ => idtac
  end.

(* A product of sizes is another one as they are multiplied, or by what is known of such products. *)
Ltac same_product := first
  [ reflexivity
  | ring
  | match goal with known : ?a = ?b |- _ => first
      [ transitivity a; [ring | rewrite known; ring] | transitivity b; [ring | rewrite <- known; ring] ]
    end ].
(* Of a place that is counted by [p], where a product with [p] is known to be another one: without the factor of both. *)
Ltac without_common known p := lazymatch type of known with ?a = ?b => first
  [ let g := cofactor a p in let q := cofactor b g in
    apply (within_same _ q p); [digits | apply (common_factor g); [stated | transitivity b; [ring | rewrite <- known; ring]]]
  | let g := cofactor b p in let q := cofactor a g in
    apply (within_same _ q p); [digits | apply (common_factor g); [stated | transitivity a; [ring | rewrite known; ring]]] ]
  end.
(* Of a place that is counted in digits, and of its digits. *)
Ltac counted := lazymatch goal with
  | inside : 0 <= ?e < _ |- 0 <= ?e < _ => apply (within_same e _ _ inside); same_product
  | |- 0 <= ?e / ?m < ?n => apply (quotient_counted e m n (n * m)); [stated | counted | reflexivity]
  | |- 0 <= _ < ?p => first
      [ digits
      | match goal with known : ?a = ?b |- _ => first
          [ apply (within_same _ a p); [digits | same_product] | apply (within_same _ b p); [digits | same_product] ]
        end
      | subst; match goal with known : _ = _ |- _ => without_common known p end ]
  end.
Ltac of_digits := lazymatch goal with
  | |- 0 <= _ mod ?m < ?n => apply remainder_within; [stated | same_product]
  | |- 0 <= _ / _ < _ => counted
  | |- 0 <= _ + _ < _ => counted
  end.
Ltac of_parts := lazymatch goal with
  | |- 0 <= _ * (_ / (_ / _)) + _ < _ => apply part_within; first [assumption | same_product]
  end.
Ltac within_axis := lazymatch goal with
  | |- 0 <= stretched ?n * ?i < ?n => apply stretched_inside; [at_least_1 | from_0 | last_index]
  | |- _ => first [solve [of_digits] | solve [of_parts] | stretches; integers | exfalso; integers]
  end.
Ltac all_inside := lazymatch goal with
  | |- (inside _ _ && _)%bool = true => apply andb_true_intro; split; [apply inside_extent; within_axis | all_inside]
  | |- true = true => reflexivity
  end.

Ltac same_indices := lazymatch goal with
  | |- at_ints ?x ?zs = at_ints ?x ?ys => apply (f_equal (at_ints x)); repeat (apply f_equal2; [same_index|]); reflexivity
  end.

Ltac same_truth := lazymatch goal with
  | |- at_ints (truths ?b) ?zs = (if truth_at ?b ?ys then ?x else ?y) =>
      change (at_ints (truths b) zs) with (if truth_at b zs then x else y);
      apply (f_equal (fun g : bool => if g then x else y)), (f_equal (truth_at b));
      repeat (apply f_equal2; [same_index|]); reflexivity
  end.

(* Guards that differ in how they are written. *)
Ltac guards_alike := lazymatch goal with
  | |- ?g = ?g => reflexivity
  | |- (_ && _)%bool = (_ && _)%bool => apply f_equal2; guards_alike
  | |- (_ || _)%bool = (_ || _)%bool => apply f_equal2; guards_alike
  | |- negb _ = negb _ => apply f_equal; guards_alike
  | |- (_ <=? _) = (_ <=? _) => first [solve [apply f_equal2; written_alike] | apply leb_moved; ring]
  | |- (_ =? _) = (_ =? _) => first [solve [apply f_equal2; written_alike] | apply eqb_moved; first [left; ring | right; ring]]
  end.
Ltac one_guard := first [solve [guards_alike] | same_guards].

Ltac denotes := lazymatch goal with
  | |- if_inside _ _ _ = _ => apply if_inside_true; [all_inside | denotes]
  | |- at_ints (result _ ?the_kernel _) _ = _ =>
      unfold_operator the_kernel; rewrite result_at by positive_indices; at_elements; divisors; stretched_conditions; denotes
  | |- at_ints (outcome _ ?the_kernel _) _ = _ =>
      unfold_operator the_kernel; rewrite outcome_at by positive_indices; at_elements; divisors; stretched_conditions; denotes
  | |- at_ints (formula_val _ _ _) _ = _ =>
      rewrite formula_at_is by positive_indices; at_elements; divisors; stretched_conditions; denotes
  | |- at_ints (statement_val _ _ _ _) _ = _ =>
      rewrite statement_at by positive_indices; at_elements; divisors; stretched_conditions; denotes
  | |- at_ints (filled _) _ = _ => reflexivity
  | |- at_ints (truths _) _ = (if _ then _ else _) => same_truth
  | |- at_ints _ _ = at_ints _ _ => same_indices
  | |- chosen _ _ _ = (if (_ && _)%bool then _ else _) => first [ both_choose | rewrite if_and; denotes ]
  | |- chosen _ _ _ = (if (_ || _)%bool then _ else _) => first [ both_choose | rewrite if_or; denotes ]
  | |- chosen _ _ _ = (if negb _ then _ else _) => first [ both_choose | rewrite if_not; denotes ]
  | |- chosen _ _ _ = (if _ then _ else _) => first [ both_choose | by_choice ]
  | |- chosen _ _ _ = _ => by_choice
  | |- op3 _ Sel _ _ _ = (if (_ && _)%bool then _ else _) => rewrite if_and; denotes
  | |- op3 _ Sel _ _ _ = (if (_ || _)%bool then _ else _) => rewrite if_or; denotes
  | |- op3 _ Sel _ _ _ = (if negb _ then _ else _) => rewrite if_not; denotes
  | |- op3 ?K Sel (op2 ?K ?o ?a ?b) ?x ?y = (if ?test _ _ then _ else _) =>
      match goal with decided : decides K o test |- _ => rewrite (decided a b x y) end;
      apply choose_both; [apply f_equal2; denotes | intros ?; denotes | intros ?; denotes]
  | |- op1 _ ?o _ = op1 _ ?o _ => apply f_equal; denotes
  | |- op2 _ ?o _ _ = op2 _ ?o _ _ => apply f_equal2; denotes
  | |- added _ _ = added _ _ => apply f_equal; denotes
  | |- reduced _ ?r _ = reduced _ ?r _ => apply f_equal; denotes
  | |- over _ _ = over _ _ => apply over_extent; [integers | intros ? ?; denotes]
  | |- only _ _ = only _ _ => apply only_same; [one_guard | intros ?; denotes]
  | |- [_] = [_] => apply one_ext; denotes
  | |- position _ _ = whole_of _ _ => apply position_whole; [from_0 | same_index]
  | |- cst _ _ = whole_of _ _ => apply constant_whole; same_index
  | |- ?a = ?a => reflexivity
  | |- ?a = ?b => first [ progress cbv beta; denotes | real_step ltac:(fun _ => denotes) | reflexivity ]
  end
with both_choose := unfold chosen at 1; apply choose_both; [one_guard | intros ?; denotes | intros ?; denotes]
with by_choice := apply chosen_cases; intros ?; denotes.
